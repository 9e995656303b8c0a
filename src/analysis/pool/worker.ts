/** One worker thread of the pool. */
import { ASSAYS } from '../assays/registry.ts';
import { serve } from './serve.ts';

serve(ASSAYS);
