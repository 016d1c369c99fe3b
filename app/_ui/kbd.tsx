/** A key as it stands on the keyboard. */
export function Kbd({ children }: { readonly children: string }) {
  return (
    <kbd className="inline-flex h-[18px] min-w-[18px] items-center justify-center rounded-sm border border-line-strong bg-surface px-1 text-xs text-soft">
      {children}
    </kbd>
  );
}
