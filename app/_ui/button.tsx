import type { ComponentProps } from 'react';
import { cx } from './cx.ts';

const BASE =
  'inline-flex items-center justify-center gap-1.5 rounded-md whitespace-nowrap select-none transition-colors duration-100 disabled:opacity-60';

const LOOKS = {
  primary: 'bg-accent text-on-accent font-strong enabled:hover:bg-accent-strong',
  plain: 'border border-line-strong bg-raised text-text enabled:hover:bg-hover',
  quiet: 'text-soft enabled:hover:bg-hover enabled:hover:text-text',
  danger: 'border border-bad text-bad enabled:hover:bg-bad-soft',
} as const;

const SIZES = {
  small: 'h-6 px-2 text-sm',
  medium: 'h-7 px-2.5 text-base',
  square: 'size-7',
  tiny: 'size-6',
} as const;

/** How a button looks; links that act as buttons use the same words through {@link buttonClass}. */
export interface ButtonLook {
  readonly look?: keyof typeof LOOKS;
  readonly size?: keyof typeof SIZES;
}

/** Class names of a button. */
export function buttonClass({ look = 'plain', size = 'medium' }: ButtonLook, more?: string): string {
  return cx(BASE, LOOKS[look], SIZES[size], more);
}

/** A button. One that shows only a picture must be given an `aria-label`. */
export function Button({ look, size, className, ...rest }: ComponentProps<'button'> & ButtonLook) {
  const style = { ...(look === undefined ? {} : { look }), ...(size === undefined ? {} : { size }) };
  return <button type="button" {...rest} className={buttonClass(style, className)} />;
}
