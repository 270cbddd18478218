// The answers of the service of TTLock logins to the samples of their descriptions.
import type { AccountId } from '../../src/domain/accounts/account.ts';
import { paginate } from '../../src/domain/page.ts';
import type { TtlockLoginView } from '../../src/domain/ttlock/ttlock-login.ts';
import type { FakeServices } from './fake-services.ts';

const secret = { loginId: 3, password: 'SamplePassword000020' };
const clientId = '0123456789abcdef0123456789abcdef';
const view: TtlockLoginView = {
  login: {
    ...{ loginId: 3, accountId: 2 as AccountId, name: 'Home Assistant', clientId },
    ...{ secretHash: 'ab'.repeat(32), passwordHash: 'cd'.repeat(32) },
    ...{ callback: 'http://192.168.1.20:8123/api/webhook/doors', createdAt: 1_763_715_700_000 },
  },
  username: 'alice',
  lastUsedAt: null,
};

/** `asked` writes down what the service was asked. */
export function answerAboutTtlockLogins(
  { ttlockLogins }: Pick<FakeServices, 'ttlockLogins'>,
  asked: <T>(name: string, answer: T) => (...args: readonly unknown[]) => T,
): void {
  ttlockLogins.list = async (_caller, page) => paginate([view], page);
  const issued = { ...secret, clientId, clientSecret: 'fedcba9876543210fedcba9876543210' };
  Object.assign(ttlockLogins, {
    create: asked('createTtlockLogin', Promise.resolve(issued)),
    change: asked('changeTtlockLogin', Promise.resolve(view)),
    renewPassword: asked('renewTtlockPassword', Promise.resolve(secret)),
    remove: asked('removeTtlockLogin', Promise.resolve()),
  });
}
