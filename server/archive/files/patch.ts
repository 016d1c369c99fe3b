import type { NamedTouch } from './touch.ts';

const HEADER = /^\*\*\* (Add File|Update File|Delete File|Move to): (.*\S)\s*$/;

/**
 * The files of a patch in the form that Codex's `apply_patch` takes: lines of content begin with `+`, `-` or a space, so
 * that a line which begins with `***` names a file.
 */
export function patchTouches(patch: string): readonly NamedTouch[] {
  if (!/^\s*\*\*\* Begin Patch/.test(patch)) return [];
  const touches: NamedTouch[] = [];
  for (const line of patch.split(/\r?\n/)) {
    if (line.startsWith('*** End Patch')) break;
    const [, what, name = ''] = HEADER.exec(line) ?? [];
    if (what === 'Add File') touches.push({ name, kind: 'write' });
    else if (what === 'Update File') touches.push({ name, kind: 'edit' });
    else if (what === 'Delete File') touches.push({ name, kind: 'delete' });
    else if (what === 'Move to') {
      const from = touches.pop();
      if (from !== undefined) touches.push({ name: from.name, kind: 'move' });
      touches.push({ name, kind: 'move' });
    }
  }
  return touches;
}
