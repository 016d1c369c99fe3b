import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Makes a sequencer that begins the files which take longest first, so that none of them runs alone at the end; the rest
 * in Vitest's own order.
 * @param names ends of their paths without `.test.ts`, longest first
 */
export function longestFirst(names: readonly string[]): typeof BaseSequencer {
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const place = ({ moduleId }: TestSpecification) => {
        const at = names.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
        return at < 0 ? names.length : at;
      };
      return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
    }
  };
}
