// Which files of tests begin first. Jest begins with the largest; ours that take longest are small and wait for processes, so that a worker would be
// left alone with one of them at the end.
import Sequencer from '@jest/test-sequencer';

const waits = ({ path }) => path.includes('/test/end-to-end/');

/** As the option `testSequencer` of Jest wants it. */
export default class WaitingFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((a, b) => Number(waits(b)) - Number(waits(a)));
  }
}
