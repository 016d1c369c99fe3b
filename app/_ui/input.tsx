import type { ComponentProps } from 'react';
import { cx } from './cx.ts';
import { Icon } from './icon.tsx';

/** A field for words to look for. `/` on a page brings the keyboard to the one marked `data-search`. */
export function SearchInput({
  label,
  className,
  ...rest
}: ComponentProps<'input'> & { readonly label: string }) {
  return (
    <span className={cx('relative flex items-center', className)}>
      <Icon name="search" className="pointer-events-none absolute left-2 text-faint" />
      <input
        {...rest}
        data-search=""
        type="search"
        aria-label={label}
        autoComplete="off"
        spellCheck={false}
        className="h-7 w-full rounded-md border border-field-line bg-ground pr-2 pl-7 text-base placeholder:text-faint [&::-webkit-search-cancel-button]:hidden"
      />
    </span>
  );
}
