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

/** A field for a few letters. */
export function TextInput({
  label,
  className,
  ...rest
}: ComponentProps<'input'> & { readonly label: string }) {
  return (
    <input
      {...rest}
      aria-label={label}
      autoComplete="off"
      spellCheck={false}
      className={cx(
        'h-7 rounded-md border border-field-line bg-ground px-2 text-base placeholder:text-faint',
        className,
      )}
    />
  );
}

/** A field for a day; the value is `2026-11-30`, or empty. */
export function DayInput(props: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (day: string) => void;
}) {
  return (
    <input
      type="date"
      aria-label={props.label}
      value={props.value}
      onChange={(event) => props.onChange(event.target.value)}
      className="h-7 w-32 rounded-md border border-field-line bg-ground px-2 text-base"
    />
  );
}
