/** The kinds of jobs whose module is loaded with the first of them: who enqueues one need not load what carries it out. */
export const ANALYZE = 'analyze_experiment';
export const MAKE_PACKAGE = 'make_data_package';
export const MAKE_SMALL_PACKAGE = 'make_small_data_package';
export const ANNOUNCE_STOP = 'announce_stop';
export const NOTIFY_PAYMENT = 'notify_payment';
export const REANALYZE = 'reanalyze_experiment';
export const SEND_QUOTE = 'send_quote';
export const SEND_REFUND = 'send_refund';
