'use client';

import { useQuery } from '@tanstack/react-query';
import { useTRPC } from '@/app/_lib/trpc.tsx';
import { Select } from '@/app/_ui/select.tsx';

/** Narrows a list to one project; the empty text stands for all. */
export function ProjectFilter(props: {
  readonly value: string;
  readonly onChange: (project: string) => void;
}) {
  const trpc = useTRPC();
  const projects = useQuery(trpc.sessions.projects.queryOptions());
  return (
    <Select
      label="Project"
      value={props.value}
      onChange={props.onChange}
      choices={[
        { value: '', label: 'All projects' },
        ...(projects.data?.items ?? []).map(({ id, name }) => ({
          value: id,
          label: name === '' ? 'Unnamed' : name,
        })),
      ]}
    />
  );
}
