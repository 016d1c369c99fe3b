/** Where a rule of a provider is known from. */
export type Provenance = 'documented' | 'reported' | 'inferred' | 'unverified';

/**
 * Rules that can be switched, with their source and default. Documented validity rules are no switches: they hold
 * whenever `validate` is on.
 */
export const RULES = {
  validate: { provenance: 'documented', default: true },
  'anthropic.empty-text': { provenance: 'reported', default: true },
  'anthropic.blank-text': { provenance: 'reported', default: true },
  'anthropic.block-roles': { provenance: 'inferred', default: true },
  'anthropic.call-names': { provenance: 'reported', default: true },
  'anthropic.unique-call-ids': { provenance: 'reported', default: true },
  'anthropic.unknown-block-type': { provenance: 'inferred', default: true },
  'anthropic.unknown-nested-field': { provenance: 'inferred', default: true },
  'anthropic.alternating-roles': { provenance: 'reported', default: false },
  'anthropic.mark-on-deferred-tool': { provenance: 'reported', default: true },
  'anthropic.tool-name-pattern': { provenance: 'unverified', default: true },
  'anthropic.max-output-tokens': { provenance: 'reported', default: true },
  'anthropic.unknown-model': { provenance: 'reported', default: true },
  'anthropic.thinking-first-in-tool-turn': { provenance: 'reported', default: true },
  'anthropic.unknown-beta': { provenance: 'reported', default: false },
  'anthropic.beta-blocks-need-header': { provenance: 'inferred', default: true },
  'anthropic.many-image-limit': { provenance: 'reported', default: true },
  'anthropic.deferred-call-needs-reference': { provenance: 'inferred', default: true },
  'anthropic.thread-unsupported-fields': { provenance: 'inferred', default: true },
  'anthropic.thinking-invalidates-all': { provenance: 'unverified', default: false },
  'anthropic.unsure-models-enforce': { provenance: 'unverified', default: false },
  'anthropic.tool-name-64': { provenance: 'unverified', default: false },
  'anthropic.new-account': { provenance: 'documented', default: true },
  'anthropic.sonnet-5-refuses-system-role': { provenance: 'documented', default: false },
  'openai.pairs': { provenance: 'reported', default: true },
  'openai.reasoning-pairs': { provenance: 'reported', default: true },
  'openai.encrypted-content': { provenance: 'reported', default: true },
  'openai.unstored-items': { provenance: 'reported', default: true },
  'openai.prefix-mismatch-drops': { provenance: 'documented', default: true },
  'openai.item-members': { provenance: 'inferred', default: true },
  'openai.content-parts': { provenance: 'reported', default: true },
  'openai.call-names': { provenance: 'reported', default: true },
  'openai.duplicate-items': { provenance: 'reported', default: true },
  'openai.deferred-call-needs-output': { provenance: 'inferred', default: true },
  'openai.compacted-window-whole': { provenance: 'unverified', default: true },
  'openai.prefix-includes-tools': { provenance: 'unverified', default: false },
  'openai.cache-needs-key': { provenance: 'unverified', default: false },
  'openai.old-cache-minimum-2048': { provenance: 'unverified', default: false },
  'openai.chat-pairs': { provenance: 'reported', default: true },
  'openai.cached-tokens-in-128s': { provenance: 'unverified', default: false },
  'openai.unknown-parameter': { provenance: 'inferred', default: true },
  'openai.unknown-item-type': { provenance: 'inferred', default: true },
  'openai.unknown-model': { provenance: 'inferred', default: false },
} as const satisfies Record<string, { readonly provenance: Provenance; readonly default: boolean }>;

/** Name of a switch. */
export type RuleName = keyof typeof RULES;

/** The switches' positions. */
export type Rules = Readonly<Record<RuleName, boolean>>;

/** The defaults with some of them changed. */
export function rulesWith(changes: Partial<Rules> = {}): Rules {
  const defaults = Object.fromEntries(Object.entries(RULES).map(([name, rule]) => [name, rule.default]));
  return { ...(defaults as Rules), ...changes };
}
