/** The vocabulary of names, and the spelling of all text: what `rules/names.ts` and `rules/spelling.ts` know. */

/** Verbs that a function may begin with. A new one is added once no known one is true of the function. */
export const VERBS: ReadonlySet<string> = new Set(
  `
    abandon accept acquire act add administer admit adopt advance aggregate align allow amend analyze
    announce anonymize answer append apply appoint approve arm arrange ask assert assign attempt attend
    attenuate audit authenticate authorize average await begin bend besiege bind bisect blame book bound
    break build call cancel capitalize capture carry cast center change charge check choose claim clamp
    classify clear click clip clone close cluster collect combine commit compare compile complete compose
    compute conclude confirm connect consider construct consume continue convert copy correct correlate
    count create credit cut damage damp deactivate debit decide declare decline decode decorate define
    delay delete deliver derive descend describe destroy detect diff disable disarm discard dismiss dispatch disturb
    divide download draft draw drive drop duplicate edit eliminate enable encode enforce enqueue ensure
    enter escape estimate evaluate examine exclude excuse exit expect expire explain extend factorize
    fail fake feed fetch fill filter finalize find fingerprint finish fit fix flag flatten flood flush
    fold follow format freeze gather generate get give grade grant greet group grow guard handle harvest
    hash hide hold hunt identify ignore import increment index infer inflate insert inspect
    integrate interpolate interrupt invalidate invert invite issue join keep kill launch lay learn leave
    lift limit linearize linger link lint list listen load locate lock log look lookup lose lower make
    map mark mask match measure merge migrate minimize mint mirror modify move multiply mutate name
    narrow negate nest normalize notify offer open order pack pad parse partition pass paste patch pause
    pay peek pick ping place plan plot polish poll post postpone pour predict prepare present preview price print publish
    probe process project promise prove push put quantify query quote raise rank rasterize reach read
    readdress reanalyze receive recognize reconcile record recount recover redeem redirect reduce refill
    refine refresh refund refuse register reissue reject relaunch rehearse release reload remember remove rename
    render renew renumber reopen repeat replace replay reply report request require resend reserve reset
    resize resolve respell respond restore restrict resume rethrow retire retry return revoke rewrite
    roll rotate round run sample sanitize save say scale scatter schedule screen seal search seed select
    send serialize serve set settle shape share shift shorten show shuffle sign signal simulate skip
    slow sniff solve sort space spawn speak spend split spoil spread stage stall start state stop store
    stream stringify style submit substitute subtract succeed suggest sum summarize survey swap sweep
    sync synthesize tag take tally tell terminate test thin throw tick tidy tokenize touch trace track
    transition translate trigger trim try turn unescape unpack unseal unzip update upload use validate verify
    view visit void wait wake walk warn watch widen withdraw withhold work wrap write yield
  `
    .trim()
    .split(/\s+/),
);

/** First words of functions that answer yes or no, convert, decorate, or are called by an event. */
export const PREDICATES: ReadonlySet<string> = new Set(
  'is are has have can may was does should to from as with without on given accepts allows answers changes declares equals expects looks needs owns recognizes sets starts takes'.split(
    ' ',
  ),
);

/** Names that a library calls, tags of template literals, and words of the platform. */
export const KNOWN_NAMES: ReadonlySet<string> = new Set(
  'main now expression markup prose clientInformation tokens codeVerifier _transform onerror'.split(' '),
);

/** British words, as parts of words, with what stands for them here. */
export const BRITISH: readonly (readonly [british: RegExp, american: string])[] = [
  [/colour/i, 'color'],
  [/\bgrey/i, 'gray'],
  [/centre/i, 'center'],
  [/analys(?:e(?!s\b)|ing)/i, 'analyze'],
  [/catalogue/i, 'catalog'],
  [/neighbour/i, 'neighbor'],
  [/favour/i, 'favor'],
  [/honour/i, 'honor'],
  [/labour/i, 'labor'],
  [
    /(?:normal|recogn|summar|minim|maxim|initial|serial|author|final|capital|categor|synchron|custom|util|visual)is(?:e|ing|ation)/i,
    '-ize',
  ],
  [/organis(?:e|ing|ation)/i, 'organize'],
  [/emphasise/i, 'emphasize'],
  [/licence/i, 'license'],
  [/cancell(?:ed|ing)/i, 'canceled, canceling'],
  [/labell(?:ed|ing)/i, 'labeled, labeling'],
  [/modell(?:ed|ing)/i, 'modeled, modeling'],
  [/travell(?:ed|ing)/i, 'traveled, traveling'],
  [/judgement/i, 'judgment'],
  [/artefact/i, 'artifact'],
  [/defence/i, 'defense'],
  [/\bfulfil\b/i, 'fulfill'],
  [/\bcheque/i, 'check'],
];
