/**
 * The quote `q` of the experiment `e` that a client may see, the current one first. `isShownToClients` and `isDiscarded`
 * of the quotes are the same rule for a row that was read.
 */
export const FROM_SHOWN_QUOTE = `from quotes q where q.experiment_id = e.id and (q.origin = 'price_list' or q.opened_at is not null)
     and (q.status <> 'canceled' or q.opened_at is not null or e.status = 'canceled')
   order by (q.status in ('draft', 'open', 'accepted')) desc, (q.status = 'canceled' and q.opened_at is null),
     q.created_at desc limit 1`;
