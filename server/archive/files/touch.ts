/** What a call did to a file. `move` stands at both ends of a renaming. */
export type TouchKind = 'read' | 'write' | 'edit' | 'delete' | 'move';

/** That a tool call read or changed a file. */
export interface FileTouch {
  /** Absolute, in the form that {@link normalPath} gives. */
  readonly path: string;
  readonly kind: TouchKind;
  /** True if everything below the path was changed with it (a folder that was moved, deleted, restored). */
  readonly tree: boolean;
}

/** A touch whose path is still as the call wrote it. */
export interface NamedTouch {
  readonly name: string;
  readonly kind: TouchKind;
  readonly tree?: boolean;
}
