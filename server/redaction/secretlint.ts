import { lintSource } from '@secretlint/core';
import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { Finding } from './types.ts';

/**
 * Rules left out: comments inside a scanned text could switch detection off; the two for addresses mask the whole
 * address where the password alone is the secret (the project's own patterns do that).
 */
const leftOut = new Set([
  '@secretlint/secretlint-rule-filter-comments',
  '@secretlint/secretlint-rule-basicauth',
  '@secretlint/secretlint-rule-database-connection-string',
]);

const config = {
  rules: rules.filter((rule) => !leftOut.has(rule.meta.id)).map((rule) => ({ id: rule.meta.id, rule })),
};

/** What secretlint's recommended rules find in a text. */
export async function findBySecretlint(text: string): Promise<Finding[]> {
  const result = await lintSource({
    source: { content: text, filePath: 'text', ext: '', contentType: 'text' },
    options: { noPhysicFilePath: true, config },
  });
  return result.messages.map((message) => ({
    start: message.range[0],
    end: message.range[1],
    type: message.ruleId.replace(/^.*-rule-/, '').replace(/[^a-z0-9]/g, '_'),
  }));
}
