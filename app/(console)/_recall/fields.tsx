'use client';

import { type ReactNode, useId, useState } from 'react';
import { Button } from '@/app/_ui/button.tsx';
import { TextInput } from '@/app/_ui/input.tsx';
import { Facts } from '@/app/_ui/pane.tsx';
import { type Choice, Select } from '@/app/_ui/select.tsx';
import type { WireRecallChanges, WireRecallState } from '@/server/api/index.ts';
import {
  fieldOf,
  GAIN_CHOICES,
  INHERIT,
  LIMIT_CHOICES,
  limitChoice,
  OTHER,
  SIZE_CHOICES,
  SWITCH,
  sizeChoice,
  switchChoice,
  tokensChoice,
  zoneChoices,
} from './choices.ts';
import { type Scope, useRecallChange } from './use-settings.ts';

interface FieldsProps {
  readonly scope: Scope;
  readonly state: WireRecallState;
  /** Whose settings they are, for the names of the fields: empty where the screen shows one set of them. */
  readonly whose?: string;
}

/** The settings of Recall at one scope: what holds, who says it, and what else can be chosen. */
export function RecallFields({ scope, state, whose = '' }: FieldsProps) {
  const change = useRecallChange(scope);
  const named = (label: string) => (whose === '' ? label : `${label} of ${whose}`);
  const own = scope.level;
  const { from } = state;
  const onOff = (
    field: 'recall' | 'retrievalTool' | 'trimming' | 'memory',
    label: string,
    note: string,
  ): readonly [string, ReactNode] => [
    label,
    <Line key={field} note={note}>
      <Pick
        label={named(label)}
        {...fieldOf(own, from[field], switchChoice(state[field]), SWITCH)}
        onChange={(value) => change({ [field]: value === null ? null : value === 'true' })}
      />
    </Line>,
  ];
  return (
    <Facts
      facts={[
        onOff('recall', 'Layouts', 'Off stops new ones; what is in force is sent as before.'),
        [
          'Kept in view',
          <Line key="size" note="Tokens of the newest part; the rest stands in an index.">
            <Pick
              label={named('Kept in view')}
              {...fieldOf(own, from.keepRecent, sizeChoice(state), SIZE_CHOICES)}
              other={{ label: 'Tokens kept in view', hint: 'tokens, 10 000 to 2 000 000' }}
              onChange={(value) => change(sizeChange(value))}
            />
          </Line>,
        ],
        [
          'Context limit',
          <Line key="limit" note="The rule: 0.80 of the window, 0.95 of where agents compact.">
            <Pick
              label={named('Context limit')}
              {...fieldOf(own, from.contextLimit, limitChoice(state), LIMIT_CHOICES)}
              other={{ label: 'Context limit in tokens', hint: 'tokens, 10 000 to 2 000 000' }}
              onChange={(value) =>
                change({ contextLimit: value === null || value === 'auto' ? value : numberOf(value) })
              }
            />
          </Line>,
        ],
        [
          'Least gain',
          <Line key="gain" note="Below it no layout is made, but at the limit.">
            <Pick
              label={named('Least gain')}
              {...fieldOf(own, from.minGain, tokensChoice(state.minGain), GAIN_CHOICES)}
              other={{ label: 'Least gain in tokens', hint: 'tokens, up to 1 000 000' }}
              onChange={(value) => change({ minGain: value === null ? null : numberOf(value) })}
            />
          </Line>,
        ],
        onOff('retrievalTool', 'Tool', 'context-mode-search: the model reads back what it needs.'),
        onOff('trimming', 'Trimming', 'Of long outputs of commands: beginning, end, errors.'),
        onOff('memory', 'Memory', 'Facts of what you type; new conversations get those that fit.'),
        [
          'Time zone',
          <Line key="zone" note="Of the times in an index.">
            <Pick
              label={named('Time zone')}
              {...fieldOf(
                own,
                from.timeZone,
                { value: state.timeZone, label: state.timeZone },
                zoneChoices(Intl.DateTimeFormat().resolvedOptions().timeZone),
              )}
              other={{ label: 'Name of the time zone', hint: 'such as Europe/Berlin' }}
              onChange={(timeZone) => change({ timeZone })}
            />
          </Line>,
        ],
      ]}
    />
  );
}

function sizeChange(value: string | null): WireRecallChanges {
  if (value === null) return { preset: null };
  if (value === 'lean' || value === 'balanced' || value === 'roomy') return { preset: value };
  return { keepRecent: numberOf(value) };
}

/** A number as a person writes it; what is none is left to the server's answer. */
function numberOf(text: string): number {
  return Number(text.replace(/[\s\u2009_,.]/g, ''));
}

function Line({ note, children }: { readonly note: string; readonly children: ReactNode }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="min-w-56 max-md:min-w-0">{children}</span>
      <span className="min-w-0 text-sm text-faint">{note}</span>
    </span>
  );
}

/** A select whose first choice leaves the field to the wider scope (`null`), and whose last may ask for a value. */
function Pick(props: {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly Choice<string>[];
  readonly other?: { readonly label: string; readonly hint: string };
  readonly onChange: (value: string | null) => void;
}) {
  const { label, value, choices, other, onChange } = props;
  const [isAsking, setAsking] = useState(false);
  if (isAsking && other !== undefined) {
    return (
      <OwnValue
        {...other}
        onSave={(text) => {
          setAsking(false);
          onChange(text);
        }}
        onCancel={() => setAsking(false)}
      />
    );
  }
  return (
    <Select
      label={label}
      value={value}
      choices={choices}
      onChange={(chosen) => {
        if (chosen === OTHER) setAsking(true);
        else onChange(chosen === INHERIT ? null : chosen);
      }}
    />
  );
}

function OwnValue(props: {
  readonly label: string;
  readonly hint: string;
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}) {
  const [text, setText] = useState('');
  const hintId = useId();
  return (
    <form
      className="flex flex-wrap items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') props.onSave(text.trim());
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') props.onCancel();
      }}
    >
      <TextInput
        label={props.label}
        aria-describedby={hintId}
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="w-36"
      />
      <Button type="submit" size="small" look="primary">
        Save
      </Button>
      <Button size="small" onClick={props.onCancel}>
        Cancel
      </Button>
      <span id={hintId} className="text-sm text-faint">
        {props.hint}
      </span>
    </form>
  );
}
