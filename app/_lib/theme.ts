/** What the person chose; `system` leaves it to the operating system. */
export type Theme = 'system' | 'light' | 'dark';

/** Cookie in which the choice is remembered, so that the first paint is right already. */
export const THEME_COOKIE = 'context-mode-theme';

/** The choice in a cookie's value; `system` for anything else. */
export function themeOf(value: string | undefined): Theme {
  return value === 'light' || value === 'dark' ? value : 'system';
}
