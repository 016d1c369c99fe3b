/** What of Recall is set for the account; null takes a setting away. */
export interface RecallChanges {
  readonly recall?: boolean | null;
  /** `auto`: by the rule. */
  readonly contextLimit?: number | 'auto' | null;
  readonly keepRecent?: number | null;
  /** Takes `keepRecent` away. */
  readonly preset?: 'lean' | 'balanced' | 'roomy' | null;
  readonly minGain?: number | null;
}

/**
 * Sets Recall for the account of a product. It holds for conversations that begin from now on.
 * @param url the product's address
 * @throws Error with the product's answer where it takes no such setting
 */
export async function setRecall(url: string, changes: RecallChanges): Promise<void> {
  const answer = await fetch(`${url}/api/v1/settings`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(changes),
  });
  if (!answer.ok) throw new Error(`PATCH /settings: ${answer.status} ${await answer.text()}`);
}
