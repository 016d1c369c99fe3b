'use client';

import { Select as Base } from '@base-ui/react/select';
import { useSyncExternalStore } from 'react';
import { buttonClass } from './button.tsx';
import { Icon } from './icon.tsx';

/** One choice of a {@link Select}. */
export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

const LOOK = buttonClass({}, 'max-w-56 font-normal');

const never = () => () => undefined;

/**
 * One value out of a few. The button says the name of the field and what is chosen. It comes alive in the
 * browser only: what it would render before carries inline styles, which the content policy does not allow.
 */
export function Select<Value extends string>(props: {
  readonly label: string;
  readonly choices: readonly Choice<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}) {
  const chosen = props.choices.find((choice) => choice.value === props.value);
  const alive = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  if (!alive) {
    return (
      <span className={LOOK}>
        <span className="truncate">{chosen?.label}</span>
        <Icon name="down" className="size-3 shrink-0 text-faint" />
      </span>
    );
  }
  return (
    <Base.Root
      value={props.value}
      onValueChange={(next) => {
        if (next !== null) props.onChange(next);
      }}
      items={[...props.choices]}
      modal={false}
    >
      <Base.Trigger aria-label={`${props.label}: ${chosen?.label ?? ''}`} className={LOOK}>
        <Base.Value className="truncate" />
        <Icon name="down" className="size-3 shrink-0 text-faint" />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-50 outline-none">
          <Base.Popup className="max-h-80 min-w-[var(--anchor-width)] overflow-auto rounded-md border border-line-strong bg-raised p-1 shadow-float outline-none">
            {props.choices.map((choice) => (
              <Base.Item
                key={choice.value}
                value={choice.value}
                className="flex h-7 cursor-default items-center gap-2 rounded-sm pr-3 pl-1.5 outline-none select-none data-highlighted:bg-hover"
              >
                <span className="w-4">
                  <Base.ItemIndicator>
                    <Icon name="check" />
                  </Base.ItemIndicator>
                </span>
                <Base.ItemText className="truncate">{choice.label}</Base.ItemText>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
