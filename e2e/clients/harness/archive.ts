/** A session as the REST interface lists it; only what the tests look at. */
export interface SessionView {
  readonly id: string;
  readonly clientSessionId: string | null;
  readonly agent: string;
  readonly turns: number;
  readonly requests: number;
  readonly threads: number;
  readonly project: { readonly id: string; readonly name: string } | null;
  readonly worktree: { readonly id: string; readonly path: string; readonly branch: string | null } | null;
}

/** A row of a session's log. */
export interface LogRowView {
  readonly seq: number;
  readonly at: string;
  readonly kind: string;
  readonly thread: string;
  readonly docid: string | null;
  readonly tool: string | null;
  readonly body: string;
  readonly callId: string | null;
}

/** A document whole. */
export interface DocumentView {
  readonly docid: string;
  readonly kind: string;
  readonly tool: string | null;
  readonly input: string | null;
  readonly text: string;
  readonly length: number;
  readonly media: readonly { readonly mime: string; readonly bytes: number }[];
}

/** A request as the archive books it. */
export interface RequestView {
  readonly thread: string | null;
  readonly kind: string;
  readonly status: number | null;
  readonly ending: string | null;
  readonly stream: boolean;
  readonly retry: boolean;
  readonly note: string | null;
}

/** The archive through its REST interface. */
export class ArchiveClient {
  readonly #base: string;

  /** `url` is the address of the product. */
  constructor(url: string) {
    this.#base = `${url}/api/v1`;
  }

  /** All sessions of the agent's own id; more than one would be a fault. */
  async sessionsOf(clientSessionId: string): Promise<readonly SessionView[]> {
    const { items } = await this.#get<{ items: readonly SessionView[] }>('/sessions?limit=200');
    return items.filter((session) => session.clientSessionId === clientSessionId);
  }

  /** All sessions of the agents that worked in a folder, for agents that name no session; oldest first. */
  async sessionsIn(folder: string): Promise<readonly SessionView[]> {
    const { items } = await this.#get<{ items: readonly SessionView[] }>('/sessions?limit=200');
    return items.filter((session) => session.worktree?.path === folder).toReversed();
  }

  /** The log of a session, oldest row first, bodies whole. */
  async log(sessionId: string): Promise<readonly LogRowView[]> {
    const page = await this.#get<{ rows: readonly LogRowView[] }>(
      `/sessions/${sessionId}/log?limit=1000&clip=1000000`,
    );
    return page.rows;
  }

  /** A document by its id. */
  document(docid: string): Promise<DocumentView> {
    return this.#get(`/documents/${docid}?length=10000000`);
  }

  /** The exact stored bytes of a document. */
  async raw(docid: string): Promise<Buffer> {
    const answer = await fetch(`${this.#base}/documents/${docid}/raw`);
    if (!answer.ok) throw new Error(`GET /documents/${docid}/raw: ${answer.status} ${await answer.text()}`);
    return Buffer.from(await answer.arrayBuffer());
  }

  /** The requests of a session, newest first. */
  async requests(sessionId: string): Promise<readonly RequestView[]> {
    const { items } = await this.#get<{ items: readonly RequestView[] }>(
      `/requests?session=${sessionId}&limit=200`,
    );
    return items;
  }

  async #get<Value>(path: string): Promise<Value> {
    const answer = await fetch(`${this.#base}${path}`);
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Value;
  }
}
