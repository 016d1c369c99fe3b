'use client';

import { buttonClass } from '@/app/_ui/button.tsx';
import { Icon } from '@/app/_ui/icon.tsx';
import { Menu, MenuLink } from '@/app/_ui/menu.tsx';
import { searchAddress } from '../search/search-state.ts';

/** What can be done with the project that a list is narrowed to. */
export function ProjectMenu({ id }: { readonly id: string }) {
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label="Project actions"
          title="Project actions"
          className={buttonClass({ look: 'quiet', size: 'square' }, '-ml-1')}
        >
          <Icon name="more" />
        </button>
      }
    >
      <MenuLink href={searchAddress({ project: id })}>
        <Icon name="search" /> Search in this project
      </MenuLink>
      <MenuLink href={`/api/v1/export/sessions?${new URLSearchParams({ project: id })}`} download>
        <Icon name="download" /> Export its list of sessions
      </MenuLink>
      <MenuLink href="/settings">
        <Icon name="settings" /> How long it is kept, deletion
      </MenuLink>
    </Menu>
  );
}
