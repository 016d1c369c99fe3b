/** Where a rule of a provider is known from. */
export type Provenance = 'documented' | 'reported' | 'inferred' | 'unverified';

type Rule = {
  readonly provenance: Provenance;
  readonly default: boolean;
  /** What the rule is known from, in words. */
  readonly source: string;
};

/**
 * Rules that can be switched, with their source and default. Documented validity rules are no switches: they hold
 * whenever `validate` is on.
 */
export const RULES = {
  validate: {
    provenance: 'documented',
    default: true,
    source: 'everything that the vendors document',
  },
  'anthropic.empty-text': {
    provenance: 'reported',
    default: true,
    source: 'many issue reports of the refusal',
  },
  'anthropic.blank-text': {
    provenance: 'reported',
    default: true,
    source: 'issue reports; agents drop such blocks themselves',
  },
  'anthropic.block-roles': {
    provenance: 'inferred',
    default: true,
    source: 'follows from where the reference lists the blocks',
  },
  'anthropic.call-names': {
    provenance: 'reported',
    default: true,
    source: 'issue reports of both patterns',
  },
  'anthropic.unique-call-ids': {
    provenance: 'reported',
    default: true,
    source: 'issue reports; seen within one message',
  },
  'anthropic.unknown-block-type': {
    provenance: 'inferred',
    default: true,
    source: 'the wording of reports about other tags',
  },
  'anthropic.unknown-nested-field': {
    provenance: 'inferred',
    default: true,
    source: 'reports about members of the body',
  },
  'anthropic.alternating-roles': {
    provenance: 'reported',
    default: false,
    source: 'an older guide; the reference says that turns are joined',
  },
  'anthropic.mark-on-deferred-tool': {
    provenance: 'reported',
    default: true,
    source: 'issue reports',
  },
  'anthropic.tool-name-pattern': {
    provenance: 'unverified',
    default: true,
    source: 'reports of 64 and of 128 characters',
  },
  'anthropic.max-output-tokens': {
    provenance: 'reported',
    default: true,
    source: 'issue reports of the refusal',
  },
  'anthropic.unknown-model': {
    provenance: 'reported',
    default: true,
    source: 'issue reports of the 404',
  },
  'anthropic.thinking-first-in-tool-turn': {
    provenance: 'reported',
    default: true,
    source: 'issue reports, older models with thinking enabled',
  },
  'anthropic.unknown-beta': {
    provenance: 'reported',
    default: false,
    source: 'reports from other clouds; new values are passed by agents every month',
  },
  'anthropic.beta-blocks-need-header': {
    provenance: 'inferred',
    default: true,
    source: 'as for members of the body',
  },
  'anthropic.many-image-limit': {
    provenance: 'reported',
    default: true,
    source: 'issue reports of 2,000 pixels; the limit itself is documented',
  },
  'anthropic.deferred-call-needs-reference': {
    provenance: 'inferred',
    default: true,
    source: 'the reference loads deferred tools by references alone',
  },
  'anthropic.thread-unsupported-fields': {
    provenance: 'inferred',
    default: true,
    source: 'the names in the vendor’s types; which values is not told',
  },
  'anthropic.thinking-invalidates-all': {
    provenance: 'unverified',
    default: false,
    source: 'documented for "some models" without their names',
  },
  'anthropic.unsure-models-enforce': {
    provenance: 'unverified',
    default: false,
    source: '"may or may not return 400, depending on the model"',
  },
  'anthropic.tool-name-64': {
    provenance: 'unverified',
    default: false,
    source: 'older reports of 64 characters',
  },
  'anthropic.new-account': {
    provenance: 'documented',
    default: true,
    source: 'documented by the account’s date of creation',
  },
  'anthropic.sonnet-5-refuses-system-role': {
    provenance: 'documented',
    default: false,
    source: 'documented; agents send the role to that model all the same',
  },
  'openai.pairs': {
    provenance: 'reported',
    default: true,
    source: 'issue reports of both refusals',
  },
  'openai.reasoning-pairs': {
    provenance: 'reported',
    default: true,
    source: 'issue reports of both refusals',
  },
  'openai.encrypted-content': {
    provenance: 'reported',
    default: true,
    source: 'issue reports of the code',
  },
  'openai.unstored-items': {
    provenance: 'reported',
    default: true,
    source: 'issue reports of the refusal',
  },
  'openai.prefix-mismatch-drops': {
    provenance: 'documented',
    default: true,
    source: 'the vendor’s types and guide',
  },
  'openai.item-members': {
    provenance: 'inferred',
    default: true,
    source: 'as for parameters of the body',
  },
  'openai.content-parts': {
    provenance: 'reported',
    default: true,
    source: 'issue reports of the refusal',
  },
  'openai.call-names': {
    provenance: 'reported',
    default: true,
    source: 'issue reports of both refusals',
  },
  'openai.duplicate-items': {
    provenance: 'reported',
    default: true,
    source: 'issue reports of the refusal',
  },
  'openai.deferred-call-needs-output': {
    provenance: 'inferred',
    default: true,
    source: 'the guide loads deferred functions by searches alone',
  },
  'openai.compacted-window-whole': {
    provenance: 'unverified',
    default: true,
    source: 'the guide asks for it; what happens otherwise is not told',
  },
  'openai.prefix-includes-tools': {
    provenance: 'unverified',
    default: false,
    source: 'what the prefix is, is not told',
  },
  'openai.cache-needs-key': {
    provenance: 'unverified',
    default: false,
    source: '"required for reliable matching"',
  },
  'openai.old-cache-minimum-2048': {
    provenance: 'unverified',
    default: false,
    source: 'editions of the guide disagree',
  },
  'openai.chat-pairs': {
    provenance: 'reported',
    default: true,
    source: 'issue reports of both refusals',
  },
  'openai.cached-tokens-in-128s': {
    provenance: 'unverified',
    default: false,
    source: 'an older edition of the guide; one measurement did not show it',
  },
  'openai.unknown-parameter': {
    provenance: 'inferred',
    default: true,
    source: 'the wording of reports',
  },
  'openai.unknown-item-type': {
    provenance: 'inferred',
    default: true,
    source: 'the wording of reports',
  },
  'openai.unknown-model': {
    provenance: 'inferred',
    default: false,
    source: 'the wording of reports; gateways serve models of their own',
  },
} as const satisfies Record<string, Rule>;

/** Name of a switch. */
export type RuleName = keyof typeof RULES;

/** The switches' positions. */
export type Rules = Readonly<Record<RuleName, boolean>>;

/** The defaults with some of them changed. */
export function rulesWith(changes: Partial<Rules> = {}): Rules {
  const defaults = Object.fromEntries(Object.entries(RULES).map(([name, rule]) => [name, rule.default]));
  return { ...(defaults as Rules), ...changes };
}
