/** Which quotes a client may see, as SQL over a row `q` of quotes and a row `e` of its experiment. */

/** Clients do not see a quote by hand before the lab opens it; `isShownToClients` is the same for a row that was read. */
export const IS_SHOWN = `(q.origin = 'price_list' or q.opened_at is not null)`;

/**
 * The quote of the experiment for clients: the current one, or the last one. A draft that a change of the experiment
 * discarded is none, and one that was canceled with its experiment only where there is no other.
 */
export const FROM_SHOWN_QUOTE = `from quotes q where q.experiment_id = e.id and ${IS_SHOWN}
     and (q.status <> 'canceled' or q.opened_at is not null or e.status = 'canceled')
   order by (q.status in ('draft', 'open', 'accepted')) desc, (q.status = 'canceled' and q.opened_at is null),
     q.created_at desc, q.id desc limit 1`;
