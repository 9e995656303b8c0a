/** Which quotes a client may see, as SQL over quotes `q`. */

/** Clients do not see a quote by hand before the lab opens it. */
export const IS_SHOWN = `(q.origin = 'price_list' or q.opened_at is not null)`;

/** The current quote first, then the last one; a draft that never became a quote comes after all others. */
export const CURRENT_FIRST = `(q.status in ('draft', 'open', 'accepted')) desc,
  (q.status = 'canceled' and q.opened_at is null), q.created_at desc, q.id desc`;

/**
 * The quote of an experiment `e` for clients: the current one, or the last one. A draft that a change of the experiment
 * discarded is none, and one that was canceled with its experiment only where there is no other.
 */
export const FROM_SHOWN_QUOTE = `from quotes q where q.experiment_id = e.id and ${IS_SHOWN}
     and (q.status <> 'canceled' or q.opened_at is not null or e.status = 'canceled')
   order by ${CURRENT_FIRST} limit 1`;
