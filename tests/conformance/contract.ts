/** What the contract promises of each operation: method, path and the statuses a client must be ready for. */
export interface Promised {
  readonly method: string;
  readonly path: string;
  readonly statuses: readonly number[];
}

const table = `
  list_experiments          GET    /experiments                              200 400 401 403 500
  create_exp                POST   /experiments                              201 400 401 403 404 415 422
  cost_estimate             POST   /experiments/cost-estimate                200 400 401 403 422
  get_exp_info              GET    /experiments/{experiment_id}              200 401 404 500
  modify_exp                PATCH  /experiments/{experiment_id}              200 400 401 404 409
  get_invoice_metadata      GET    /experiments/{experiment_id}/invoice      200 400 401 403 404 500
  get_quote_metadata        GET    /experiments/{experiment_id}/quote        200 400 401 403 404 500
  confirm_experiment_quote  POST   /experiments/{experiment_id}/quote/confirm 200 400 401 403 404 409 415 422 500
  get_quote_pdf             GET    /experiments/{experiment_id}/quote/pdf    307 400 401 403 404 500
  get_experiment_results    GET    /experiments/{experiment_id}/results      200 400 401 403
  get_experiment_sequences  GET    /experiments/{experiment_id}/sequences    200 400 401 403
  submit_experiment         POST   /experiments/{experiment_id}/submit       200 400 401 403 409 500
  get_experiment_updates    GET    /experiments/{experiment_id}/updates      200 400 401 403 500
  submit_feedback           POST   /feedback/submit                          201 400 401 500
  mint_token                POST   /partners/mint-token                      201 400 401 403 409
  health                    GET    /info/health                              200
  health_db                 GET    /info/health-db                           200 503
  list_quotes               GET    /quotes                                   200 401 403 500
  get_quote_info            GET    /quotes/{quote_id}                        200 401 403 404 500
  confirm_quote             POST   /quotes/{quote_id}/confirm                200 403 404 409 500
  reject_quote              POST   /quotes/{quote_id}/reject                 200 403 404 409 500
  list_results              GET    /results                                  200 401 403 500
  get_result_info           GET    /results/{result_id}                      200 401 403 404 500
  list_sequences            GET    /sequences                                200 401 403 500
  add_sequences             POST   /sequences                                201 400 404 409 500
  get_sequence_info         GET    /sequences/{sequence_id}                  200 401 403 404 500
  list_targets              GET    /targets                                  200 401 403 500
  list_custom_target_requests  GET   /targets/request-custom                 200 401 403 500
  create_custom_target_request POST  /targets/request-custom                 201 400 401 403 500
  get_custom_target_request GET    /targets/request-custom/{request_id}     200 401 403 404 500
  get_target_info           GET    /targets/{target_id}                      200 400 401 403 404 500
  list_tokens               GET    /tokens                                   200 401 403 500
  attenuate_token           POST   /tokens/attenuate                         201 400 401 403
  revoke_token              POST   /tokens/revoke                            200 403
  list_updates              GET    /updates                                  200 401 403 500
  whoami                    GET    /whoami                                   200 401 500
  list_invoices             GET    /invoices                                 200 401 403
  get_invoice               GET    /invoices/{invoice_id}                    200 401 403 404
  get_invoice_pdf           GET    /invoices/{invoice_id}/pdf                307 401 403 404
  pay_invoice               POST   /invoices/{invoice_id}/pay                200 401 402 403 404 409 422 501 503
`;

export const contract: ReadonlyMap<string, Promised> = new Map(
  table
    .trim()
    .split('\n')
    .map((line): [string, Promised] => {
      const [id = '', method = '', path = '', ...statuses] = line.trim().split(/\s+/);
      return [id, { method, path, statuses: statuses.map(Number) }];
    }),
);

/**
 * Statuses of the contract that nothing can provoke as long as what they are for is not served: the
 * refusal of what every token may ask. They must be absent, so that this list shrinks with the service.
 */
export const notServed: readonly (readonly [operationId: string, status: number])[] = [
  ['whoami', 403],
  ['revoke_token', 404],
];
