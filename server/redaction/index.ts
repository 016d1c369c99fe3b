export { maskJson } from './json.ts';
export { maskText } from './mask.ts';
export { maskName, maskNameOrNull } from './names.ts';
export type { MaskCounts, Masked } from './types.ts';
