/** What the product says of a request. */
export interface ViewOfRequest {
  readonly kind: string;
  readonly madeHere: boolean;
  readonly reason: string | null;
  readonly unedited: { readonly reason: string; readonly detail: string } | null;
}

/** Whether a request went out as it came because the time was over before it was put together. */
export function isLate({ unedited }: ViewOfRequest): boolean {
  return unedited?.reason === 'deadline';
}

/**
 * Whether a request went out as it came for another reason than the time: on a busy machine the deadline may pass before a
 * request is put together.
 */
export function isFailed(view: ViewOfRequest): boolean {
  return view.unedited !== null && !isLate(view);
}

/** What a product at an address says of its last 200 requests, oldest first. */
export async function viewsOf(url: string): Promise<readonly ViewOfRequest[]> {
  const read = async (path: string) => (await fetch(`${url}/api/v1/${path}`)).json();
  const { items } = (await read('requests?limit=200')) as { items: readonly { id: string; kind: string }[] };
  const views: ViewOfRequest[] = [];
  for (const { id, kind } of items.toReversed()) {
    const { layout, unedited } = (await read(`requests/${id}/views`)) as {
      layout: { madeHere: boolean; reason: string | null } | null;
      unedited: ViewOfRequest['unedited'];
    };
    views.push({ kind, madeHere: layout?.madeHere === true, reason: layout?.reason ?? null, unedited });
  }
  return views;
}
