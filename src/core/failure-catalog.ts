/**
 * The closed catalog of expected failures: code, status and the sentence a person reads. Anything thrown that is
 * not a `Failure` is a fault of ours; the response is 500 `internal_error`.
 *
 * `{name}` in a sentence is filled from the parameters given to `fail`. A sentence never carries an id of another
 * organization, a token, a sequence or SQL.
 */
export const catalog = {
  // Request form
  malformed_json: [400, 'The body is not valid JSON: {reason}.'],
  invalid_request: [400, 'The request is not valid: {reason}'],
  invalid_query: [400, '{reason}'],
  body_required: [400, 'A JSON body is required; send {{}} when there is nothing to attach.'],
  body_not_json: [415, 'The body must be JSON: send the header "Content-Type: application/json".'],
  media_type_not_served: [
    415,
    'The body must have one of the media types {media}; name it in the header Content-Type.',
  ],
  body_too_large: [413, 'The body is larger than the limit of {limit}.'],
  body_not_utf8: [
    400,
    'The body is not valid UTF-8: the byte at offset {offset} fits no character. Encode the text as UTF-8 and send it again.',
  ],
  body_too_complex: [
    400,
    'The body has more than {limit} {what}, the limit of this operation; send it in several requests.',
  ],
  bodies_in_flight: [
    429,
    'Too many bytes of request bodies from {whom} are arriving at once; wait {retry_after} seconds and send them one after another.',
  ],
  content_encoding_not_served: [
    415,
    'Content-Encoding {encoding} is not supported; send the body uncompressed and without this header.',
  ],
  content_type_unreadable: [
    415,
    'The Content-Type header is malformed; send a media type such as application/octet-stream.',
  ],
  upload_broken_off: [400, 'The upload ended before the body was complete; send it again.'],
  body_too_deep: [400, 'The body is nested deeper than {limit} levels; send a flatter one.'],
  address_too_long: [
    414,
    'A part of the address is longer than any name or id of this service; check that the address was copied correctly.',
  ],
  expectation_failed: [
    417,
    'The Expect header asks for something that this service does not support; leave it out or send 100-continue.',
  ],
  headers_too_large: [431, 'The request headers are larger than the limit; send fewer or shorter ones.'],
  request_timeout: [408, 'The request took too long to arrive; send it again.'],
  route_not_found: [
    404,
    'There is nothing at {method} {path}. The operations are listed at /api/v1/openapi.json.',
  ],
  method_not_allowed: [405, '{method} is not served at this address; use {allowed}.'],

  method_not_implemented: [501, 'The method {method} is not served by this service.'],

  // Identity
  unauthenticated: [401, 'A valid access token is required: send {header}.'],
  token_malformed: [401, 'The access token is not readable; copy it again in full.'],
  token_invalid: [401, 'The access token was not issued by this service.'],
  token_wrong_environment: [
    401,
    'This access token belongs to a {token_environment} environment; this is a {environment} environment with its own accounts and tokens.',
  ],
  token_expired: [401, 'The access token has expired; create a new one.'],
  token_not_yet_valid: [
    401,
    'The clock of the service is {minutes} minutes behind the time at which this access token was issued. The token is good; whoever runs the service must check its clock.',
  ],
  token_revoked: [401, 'The access token has been revoked; create a new one.'],
  permission_denied: [403, 'This needs the permission {permission}, which your token does not have.'],
  token_restricted: [403, 'This token is restricted: {reason}.'],
  token_role_exceeded: [
    403,
    'The role {role} has the permission {permission}, which your token does not have; choose a role with fewer permissions.',
  ],
  invalid_attenuation: [400, 'The token cannot be restricted like this: {reason}.'],
  spend_limit_exceeded: [
    403,
    'This would commit {amount}. The token may commit {limit} in total; it has committed {spent}, so {left} is left.',
  ],
  // Unknown things. The response is the same whether they never existed or belong to another organization.
  experiment_not_found: [404, 'No such experiment.'],
  sequence_not_found: [404, 'No such sequence.'],
  update_not_found: [404, 'No such update.'],
  target_not_found: [404, 'No such target.'],
  custom_target_request_not_found: [404, 'No such custom target request.'],
  organization_not_found: [404, 'No such organization.'],
  control_chart_not_found: [404, 'No such control chart.'],
  quote_not_found: [404, 'No such quote.'],
  invoice_not_found: [404, 'No such invoice.'],
  result_not_found: [404, 'No such result.'],
  plates_unknown: [404, 'Experiments of type {type} have no plates to draw.'],
  melts_unknown: [404, 'Experiments of type {type} have no melting curves to draw.'],
  rates_unknown: [404, 'Experiments of type {type} have no rate constants to draw.'],
  replicate_not_found: [
    404,
    'The results under review have no such replicate: {which}. Name it as those results do.',
  ],
  result_version_not_found: [404, 'No such version of the result to compare with.'],
  results_not_released: [404, 'No results of this experiment have been released yet.'],
  experiments_not_comparable: [
    409,
    'The experiments cannot be compared: {types} measure different quantities.',
  ],
  share_not_found: [404, 'No such link.'],
  too_many_shares: [
    409,
    'The organization has {limit} open links, the most that are allowed; revoke one that is no longer needed.',
  ],
  token_not_found: [404, 'No such token.'],
  token_holder_left: [
    409,
    'The holder of the token has left the organization; mint a token for somebody else.',
  ],
  token_renewed_already: [
    409,
    'The token has been renewed already; GET /partners/tokens lists the one that replaced it.',
  ],
  member_not_found: [404, 'No such member.'],
  invitation_not_found: [404, 'No such invitation.'],

  // Signed links
  link_invalid: [403, 'This link is not valid; ask for a new one where you found it.'],
  link_expired: [410, 'This link has expired; ask for a new one where you found it.'],

  // People
  user_already_exists: [409, 'There is already a user with this e-mail address.'],
  last_administrator: [
    409,
    'This is the only administrator of the organization; make somebody else an administrator first.',
  ],
  staff_not_found: [404, 'No such person among the staff.'],
  person_not_found: [
    404,
    'Nobody has an account with the e-mail address {email}; ask the person to sign up first.',
  ],
  already_staff: [409, '{email} is of the staff already; change the roles of this person instead.'],
  last_appointing_person: [409, 'Nobody else may appoint staff; give somebody else the role manager first.'],
  last_billing_person: [409, 'Nobody else may bill; give somebody else the role finance first.'],
  staff_role_exceeded: [
    403,
    'The role {role} has the permission {permission}, which your token does not have; let somebody appoint who has it, or the operator with "assayer admin make-staff".',
  ],
  already_member: [409, 'The person is already a member of the organization.'],
  already_invited: [409, 'There is an open invitation to this address; send it again instead.'],
  address_not_proven: [
    409,
    'Nobody has proved that {email} belongs to the person with this account: a copied link of another organization opened it. Invite them to yours by mail first.',
  ],
  invitation_closed: [409, 'The invitation is {status} and cannot be changed any more.'],
  invitation_too_soon: [
    429,
    'The invitation was sent less than a minute ago; wait before you send it again.',
  ],
  mail_not_served: [
    501,
    'This environment sends no mail; the operator of the service can set up a mail server.',
  ],

  // Jobs of the background worker
  webhook_not_found: [404, 'No such webhook.'],
  delivery_not_found: [404, 'No such delivery.'],
  invalid_webhook: [400, 'The webhook is not valid: {reason}.'],
  too_many_webhooks: [
    409,
    'The organization has {limit} endpoints, the most that are allowed; delete one that is no longer needed.',
  ],
  webhook_disabled: [409, 'The endpoint is switched off; set enabled to true before you test it.'],
  deliveries_off: [409, 'This service delivers no webhooks: the operator has switched them off.'],
  event_not_triggered: [409, 'A sandbox cannot bring {event_type} about: {reason}.'],
  job_not_found: [404, 'No such unfinished job.'],
  job_not_failed: [409, 'The job is {status}; only a failed one can be tried again.'],

  // Targets
  target_ambiguous: [422, 'Several targets of the catalog have this name; give the id of one as target_id.'],
  custom_target_request_answered: [409, 'The request has been answered already: it is {status}.'],
  target_exists: [
    409,
    'There is already a target with the catalog number {catalog_number}; answer with its target_id or give another catalog_number.',
  ],

  target_retired: [
    409,
    'The lab no longer offers the target {name}; choose another one with PATCH, then submit.',
  ],
  import_refused: [
    422,
    'Nothing was imported: problems of the file: {count}. Correct the lines that problems names, and send the whole file again.',
  ],

  // Price lists
  assay_type_not_found: [404, 'No such assay type.'],
  price_list_not_found: [404, 'No such price list.'],
  price_list_overtaken: [
    409,
    'Price list {version} was published after you began this draft; compare the two, then save yours again.',
  ],
  price_list_published: [
    409,
    'The price list is published as {version} and never changes; create a new draft.',
  ],

  // Experiments
  invalid_experiment: [400, 'The experiment is not valid: {reason}'],
  unprocessable_experiment: [422, 'The experiment cannot be run as asked: {reason}'],
  looks_like_dna: [
    422,
    'The lab takes amino acids, and this is DNA: {reason} Translate it with the standard genetic code, as "assayer submit --translate" and the box "Translate DNA" of the form do, and send the protein.',
  ],
  experiment_type_not_offered: [422, 'The assay {experiment_type} is not offered by this lab{reason}.'],
  too_many_sequences: [422, 'An experiment may hold at most {limit} sequences; this one would hold {count}.'],
  pricing_incomplete: [
    422,
    'The quote cannot be accepted automatically, because this experiment has no complete price: {reason} Submit it without auto_accept_quote to get a quote from the lab.',
  ],
  experiment_not_editable: [
    409,
    'The experiment is {status}; {fields} can only be changed while it is a draft.',
  ],
  experiment_closed: [409, 'The experiment is {status} and can no longer be changed.'],
  move_not_allowed: [409, 'The experiment is {status}; in this status it cannot {action}.'],
  run_not_paid: [409, 'The invoice is {status}; a run starts when it is paid, or with an override_reason.'],
  lab_run_not_found: [404, 'No such run. Read the runs with list_lab_runs.'],
  run_not_planned: [409, 'The run is {status}; only a planned run can {action}.'],
  run_not_running: [409, 'The run is {status}; only a running one can {action}.'],
  run_files_refused: [409, 'The run was not completed: {reason}'],
  run_not_startable: [409, 'The run was not started: {reason}'],
  run_plan_refused: [422, 'The plan was not stored: {reason}'],
  run_not_by_hand: [409, 'The simulated lab started the last run; it records its files and completes it.'],
  run_without_files: [409, 'The run has no raw files yet; send at least one before completing it.'],
  raw_data_not_analyzable: [409, 'The raw data were not completed: {reason}'],
  less_than_ordered: [409, 'This is less than was ordered: {missing}. It needs a reason.'],
  analysis_pending: [
    409,
    'The newest analysis does not yet reflect the last decisions or settings; wait until it has ended, or take the decisions back.',
  ],
  second_person_needed: [409, '{person} decided last what is released, so somebody else has to release it.'],
  nothing_to_release: [
    409,
    'The results of these sequences are released already, and the newest analysis does not change them.',
  ],
  controls_not_released: [
    409,
    'The raw files call {controls} a control, and values and verdicts of other results refer to it: release it with them, or before them.',
  ],
  nothing_to_amend: [409, 'No analysis that was made after the release waits for review.'],
  raw_file_refused: [422, 'The file was rejected: {reason}.'],
  run_file_refused: [422, 'The file was not written: {reason}'],
  experiment_empty: [409, 'The experiment has no sequences; add at least one before submitting it.'],
  experiment_without_target: [
    409,
    'An experiment of the type {experiment_type} needs a target; set target_id before submitting it.',
  ],
  experiment_deletion_refused: [409, 'Only a draft can be deleted; this experiment is {status}.'],
  duplicate_sequence_name: [
    409,
    'The experiment already has a sequence named {name}; give this one another name.',
  ],
  method_rail_mismatch: [409, 'This experiment is paid by {pinned}; the request asked for {asked}.'],
  unknown_payment_method: [400, 'The payment method {asked} is not known; use one of {known}.'],

  // Quotes, invoices, payment
  quote_not_ready: [404, 'The quote of this experiment is not ready yet: {reason}.'],
  quote_already_accepted: [409, 'The quote has already been accepted.'],
  quote_canceled: [409, 'The quote has been canceled.'],
  quote_expired: [409, 'The quote expired on {valid_until}; submit the experiment again for a new one.'],
  quote_not_open: [409, 'The quote is {status}; submit the experiment to open it.'],
  quote_exists: [409, 'The experiment has a quote that is {status}; withdraw it before drafting another.'],
  experiment_not_quotable: [
    409,
    'The experiment is {status}; the lab can quote only a submitted experiment that waits for confirmation.',
  ],
  quote_not_editable: [409, 'The quote is {status}; only a draft made by the lab can be edited or opened.'],
  quote_not_withdrawable: [
    409,
    'The quote is {status}; only a draft made by the lab or an open quote can be withdrawn.',
  ],
  invoice_is_draft: [404, 'The invoice is a draft; there is no document yet.'],
  invoice_not_payable: [422, 'The invoice is {status} and cannot be paid.'],
  payment_owed_back: [422, 'The invoice is {status} and cannot be paid. Do not pay it again: {payment}.'],
  invoice_not_closable: [409, 'The invoice is {status}; only an unpaid invoice can be {action}.'],
  invoice_not_reissuable: [409, 'The invoice cannot be issued again: {reason}.'],
  invoice_not_refundable: [409, 'The invoice is {status}; only a paid invoice can be refunded.'],
  refund_exceeds_payment: [422, 'This invoice has {left_cents} cents left to refund.'],
  tax_rate_not_found: [404, 'No tax rate is set for this country.'],
  document_not_found: [404, 'No such document.'],
  document_not_ready: [
    503,
    'The payment processor has not made this document yet, or cannot be reached; try again in a few seconds.',
  ],
  precondition_failed: [
    412,
    'The file is not the one that the header If-Match names; fetch it anew without this header.',
  ],
  range_not_satisfiable: [
    416,
    'The header Range begins behind the end of the file, which has {size_bytes} bytes; ask for a part within it.',
  ],
  data_package_not_ready: [
    503,
    'The data package is being made: results done {done} of {total}. Ask again in {retry_after} seconds.',
  ],
  data_package_failed: [503, 'The data package could not be made. {advice}'],
  refund_not_found: [404, 'No such refund.'],
  credit_note_not_found: [404, 'No such credit note of this invoice.'],
  refund_not_waiting: [
    409,
    'The refund is {status}; only one that requires action can be retried or recorded.',
  ],
  refund_not_confirmed: [422, 'The payment rail did not confirm the refund: {reason}.'],
  refund_reference_used: [409, 'The reference {reference} already belongs to another payment or refund.'],
  payment_rail_not_served: [501, 'The payment method {method} is not served in this environment.'],
  payment_not_set_up: [409, 'This invoice could not be paid yet: {reason}.'],
  payment_required: [
    402,
    'This invoice must be paid by {method}. Repeat the request with a credential that answers the payment terms of this response{or_token}.',
  ],
  payment_not_settled: [
    402,
    'The payment is not settled yet. Repeat the request with the same credential; do not create another one.',
  ],
  payment_in_progress: [
    402,
    'Another credential is paying this invoice, and yours was not used. Repeat the request with yours: it pays only if the other one fails.',
  ],
  payment_refused: [402, 'The payment was refused: {reason}.'],
  payment_credential_mismatch: [
    409,
    'The payment credential does not match: {reason}. Repeat the request without a credential to get a new challenge.',
  ],
  payment_declined: [422, 'The payment was declined: {reason}.'],
  payment_outcome_unknown: [
    503,
    'It is not known yet whether the payment went through. Repeat the request with the same credential; do not create another one.',
  ],
  collected_by_processor: [
    409,
    '{processor} collects this invoice; record the payment there, and this service is notified.',
  ],
  transfer_needs_reference: [
    409,
    'The invoice is {status}, and without a reference this transfer cannot be distinguished from one that was recorded before. Give the reference of the bank statement as reference; {happens}.',
  ],
  transfer_reference_used: [
    409,
    'The reference {reference} was recorded for {use} already, and each transfer counts once.',
  ],
  payment_being_confirmed: [
    409,
    'Another payment of this invoice is being confirmed. If it is this transfer, recorded without its reference, do not record it again: it would be owed back as a second payment. Otherwise repeat the request in a moment.',
  ],
  notification_too_early: [503, 'The service cannot accept this notification yet; send it again.'],
  invalid_notification: [400, 'The notification is not signed by the payment processor.'],
  test_payment_unavailable: [
    403,
    'Test payments exist only in a sandbox environment; here, pay by the payment method of the invoice.',
  ],
  sandbox_only: [422, 'Only a sandbox environment has a simulated lab, and this one is live; {what}.'],

  // Repetition, limits, availability
  idempotency_key_invalid: [
    400,
    'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces, such as a UUID.',
  ],
  idempotency_key_reused: [
    422,
    'This Idempotency-Key was used for a different request; use a new key for a new request.',
  ],
  idempotency_in_flight: [
    409,
    'A request with this Idempotency-Key is still running; repeat it in a moment.',
  ],
  rate_limited: [429, 'Too many requests; wait {retry_after} seconds.'],
  query_too_expensive: [
    422,
    'The query took longer than allowed. Narrow the filter, for instance by created_at or status; use fewer contains(…) and at(…) conditions; walk by cursor instead of a deep offset.',
  ],
  database_unavailable: [
    503,
    'The service cannot reach its database, or cannot write to it; reads may work. Try again in a few seconds.',
  ],
  disk_full: [
    503,
    'A disk of the service is full, so it cannot store anything there; reads may work. Try again in {retry_after} seconds, and tell whoever runs the service if it lasts.',
  ],
  overloaded: [503, 'The service is busy; try again in a few seconds.'],
  shutting_down: [503, 'The service is restarting; try again in a few seconds.'],
  internal_error: [500, 'Something went wrong on our side. Quote the request id when you report it.'],
} as const satisfies Record<string, readonly [status: number, sentence: string]>;
