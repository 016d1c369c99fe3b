const PATHS = {
  home: 'M2.5 7.5 8 2.75l5.5 4.75v5.75h-3.75V9.5h-3.5v3.75H2.5z',
  archive: 'M2.5 3h11v3h-11zM3.5 6v7h9V6M6.25 8.75h3.5',
  settings: 'M2.5 4.5h6M11.5 4.5h2M10 3v3M2.5 11.5h2M7.5 11.5h6M6 10v3',
  ledger: 'M2.5 13.25h11M4.25 13V8.5M8 13V3M11.75 13V6',
  help: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12M6.25 6.4c.1-1.1.85-1.7 1.8-1.7 1 0 1.75.65 1.75 1.6 0 1.35-1.7 1.45-1.7 2.8M8.05 11.3v.05',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9M10.4 10.4l3.1 3.1',
  copy: 'M5.5 5.5h7v8h-7zM10.5 5.5v-3h-7v8h2',
  check: 'm3 8.5 3.25 3.25L13 5',
  close: 'm4 4 8 8M12 4l-8 8',
  chevron: 'm6 3.5 4.5 4.5L6 12.5',
  down: 'm3.5 6 4.5 4.5L12.5 6',
  up: 'm3.5 10 4.5-4.5 4.5 4.5',
  download: 'M8 2.5v7.5M4.75 7 8 10.25 11.25 7M2.5 13.25h11',
  trash: 'M3 4.5h10M6.25 4.5v-2h3.5v2M4.25 4.5l.5 9h6.5l.5-9',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  warn: 'M8 2.5 14 13H2zM8 6.5V9.5M8 11.3v.05',
  sun: 'M8 10.75a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5M8 1.5v1.25M8 13.25v1.25M1.5 8h1.25M13.25 8h1.25M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9',
  moon: 'M13 9.6A5.5 5.5 0 0 1 6.4 3 5.5 5.5 0 1 0 13 9.6',
  system: 'M2.5 3h11v7.5h-11zM6 13.25h4M8 10.5v2.75',
  external: 'M9.5 2.5h4v4M13.5 2.5 7.5 8.5M11.5 9.5v4h-9v-9h4',
  image: 'M2.5 3h11v10h-11zM2.5 11l3.25-3.25L8.5 10.5 11 8l2.5 2.5M10.25 5.75v.01',
} as const;

/** Name of a picture; each stands beside words or is one that everybody knows. */
export type IconName = keyof typeof PATHS;

/** A line drawing of 16 pixels in the colour of the text around it. It is never read out. */
export function Icon({ name, className }: { readonly name: IconName; readonly className?: string }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 2 : 1.35}
      strokeLinecap="round"
      strokeLinejoin="round"
      className={className ?? 'shrink-0'}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
