'use client';

import { useState } from 'react';
import { integer } from '@/app/_lib/format.ts';
import { useTRPCClient } from '@/app/_lib/trpc.tsx';
import { Button } from '@/app/_ui/button.tsx';
import { Dialog } from '@/app/_ui/dialog.tsx';
import { TextInput } from '@/app/_ui/input.tsx';
import { placeNamed, positionAt } from './place-words.ts';

/** Asks for a position or a time and goes there. */
export function GoToDialog(props: {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly sessionId: string;
  readonly first: number;
  readonly last: number;
  /** A moment of the day that is read now, in which a time without a day is. */
  readonly day: number;
  readonly goTo: (seq: number) => void;
}) {
  const { open, onOpenChange, ...rest } = props;
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Go to" className="w-[min(420px,calc(100vw-24px))]">
      <Body {...rest} close={() => onOpenChange(false)} />
    </Dialog>
  );
}

function Body(
  props: Omit<Parameters<typeof GoToDialog>[0], 'open' | 'onOpenChange'> & { close: () => void },
) {
  const { sessionId, first, last, day, goTo, close } = props;
  const client = useTRPCClient();
  const [words, setWords] = useState('');
  const [problem, setProblem] = useState('');
  const go = async () => {
    const place = placeNamed(words, day);
    if (place === null) {
      setProblem('Write a position (1200), a time (14:05), or a day and a time (2026-11-30 14:05).');
      return;
    }
    if ('seq' in place && (place.seq < first || place.seq > last)) {
      setProblem(`This session has the positions ${integer(first)} to ${integer(last)}.`);
      return;
    }
    const timeAt = async (seq: number) => {
      const { rows } = await client.sessions.log.query({
        id: sessionId,
        after: seq - 1,
        before: seq + 1,
        limit: 1,
        clip: 0,
      });
      return Date.parse(rows[0]?.at ?? '');
    };
    try {
      goTo('seq' in place ? place.seq : await positionAt(place.moment, first, last, timeAt));
      close();
    } catch {
      setProblem('The archive does not answer. Try again in a moment.');
    }
  };
  return (
    <form
      className="flex flex-col gap-2 p-4"
      onSubmit={(event) => {
        event.preventDefault();
        void go();
      }}
    >
      <div className="flex gap-2">
        <TextInput
          autoFocus
          label="Position or time"
          placeholder="1200, 14:05, 2026-11-30 14:05"
          value={words}
          onChange={(event) => {
            setWords(event.target.value);
            setProblem('');
          }}
          className="min-w-0 flex-1"
        />
        <Button type="submit" look="primary">
          Go
        </Button>
      </div>
      <p role="status" className={problem === '' ? 'text-sm text-faint' : 'text-sm text-bad'}>
        {problem === ''
          ? `Positions ${integer(first)} to ${integer(last)}; a time is one of the day that you are reading.`
          : problem}
      </p>
    </form>
  );
}
