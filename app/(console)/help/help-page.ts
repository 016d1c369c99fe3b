import type { ReactNode } from 'react';

/** One page of the help. */
export interface HelpPage {
  readonly slug: string;
  readonly title: string;
  /** What a reader finds here, in a line. */
  readonly about: string;
  readonly body: ReactNode;
}
