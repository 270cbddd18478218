// Which files of tests begin first. Jest begins with the largest; ours that take longest are small, so that a worker would be left alone with one of
// them at the end. Most of them wait for processes.
import Sequencer from '@jest/test-sequencer';

const takesLong = ({ path }) => /\/test\/(end-to-end|contract|install|broker\/fuzz)\b/.test(path);

/** As the option `testSequencer` of Jest wants it. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((a, b) => Number(takesLong(b)) - Number(takesLong(a)));
  }
}
