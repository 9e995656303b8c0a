import { resultText } from '../../words/results.ts';
import type { ResultWords } from '../../words/result-words.ts';

export const affinityWords: ResultWords = { writeLine: resultText, curves: 'sensorgrams' };
