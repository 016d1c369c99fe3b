export { type MarkLifetime, markLifetime } from './cache-marks.ts';
export { type Calibration, calibrated, type Observation, startingCalibration } from './calibration.ts';
export { estimateBytes, estimateJson, estimateSlices, estimateText } from './estimate.ts';
export { cacheLifetimeOf } from './lifetimes.ts';
export { limitFor } from './limit.ts';
export { inputTokens, type NextPrompt, outputTokens, promptTokens } from './prompt.ts';
