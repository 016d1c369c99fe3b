'use client';

import { buttonClass } from '@/app/_ui/button.tsx';
import { Icon } from '@/app/_ui/icon.tsx';
import { Menu, MenuLink } from '@/app/_ui/menu.tsx';

/** Saves a list as it is narrowed now. `query` is what the API takes for the same list; null: there is nothing yet. */
export function ExportMenu(props: {
  readonly kind: 'search' | 'sessions' | 'ledger';
  readonly what: string;
  readonly query: Readonly<Record<string, string>> | null;
}) {
  const { kind, what, query } = props;
  const href = (format: string) => `/api/v1/export/${kind}?${new URLSearchParams({ ...query, format })}`;
  return (
    <Menu
      trigger={
        <button
          type="button"
          disabled={query === null}
          aria-label={`Export ${what}`}
          title={`Export ${what}`}
          className={buttonClass({ look: 'quiet', size: 'square' })}
        >
          <Icon name="download" />
        </button>
      }
    >
      <MenuLink href={href('jsonl')} download>
        {what} as JSON Lines
      </MenuLink>
      <MenuLink href={href('csv')} download>
        {what} as CSV
      </MenuLink>
    </Menu>
  );
}
