// One document per webhook, in a folder: the webhook, and how far its deliveries have come. A damaged document is set aside: doors and
// other webhooks do not wait for it.
import { z } from 'zod';
import { alarmKinds } from '../../../domain/alarms/alarm.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { Emit } from '../../../domain/event-bus.ts';
import type { Log } from '../../../domain/part.ts';
import { deliveryTypes } from '../../../domain/webhooks/delivery.ts';
import type { StoredWebhook, WebhookId } from '../../../domain/webhooks/webhook.ts';
import type { WebhookStore } from '../../../domain/webhooks/webhook-ports.ts';
import type { FileLayer } from '../files.ts';
import { storageUnavailable } from '../flush-guard.ts';
import { type BeforeUpgrade, createDocument, type Document } from './document.ts';
import { type DocumentFormat, NewerSchemaError } from './document-format.ts';
import { removeIfThere } from './durable-file.ts';
import { createFollowedDocuments } from './followed-documents.ts';
import { accountId, lockId, webhookId } from './id-schemas.ts';

const type = z.enum(deliveryTypes);
const delivery = z.strictObject({
  id: z.string(),
  type,
  lockId: lockId.nullable(),
  at: z.int(),
  recordId: z.int().min(0),
  body: z.string(),
});

export const webhookFormat: DocumentFormat<StoredWebhook> = {
  schemaVersion: 1,
  schema: z.strictObject({
    webhook: z.strictObject({
      webhookId,
      accountId,
      name: z.string(),
      url: z.string(),
      secret: z.string(),
      eventTypes: z.array(type),
      lockIds: z.array(lockId),
      enabled: z.boolean(),
      createdAt: z.int(),
      loginId: z.int().min(1).exactOptional(),
    }),
    progress: z.strictObject({
      position: z.int().min(0),
      behind: z.array(z.strictObject({ lockId, done: z.int().min(0) })),
      waiting: z.array(delivery),
      failed: z.array(delivery.extend({ attempts: z.int().min(0), triedAt: z.int(), status: z.int().nullable(), reason: z.string() })),
      forgotten: z.int().min(0),
      alarms: z.array(z.strictObject({ kind: z.enum(alarmKinds), lockId: lockId.nullable(), since: z.int() })),
    }),
  }),
};

export interface WebhookFiles extends WebhookStore {
  /** Reads every document. Rejects when a newer program wrote one of them. */
  open(): Promise<void>;
  highest(): { readonly webhookId: number };
  /** The names of all documents, with their content on the disk. */
  flushed(): readonly (readonly [name: string, text: () => Buffer])[];
  /** Resolves when no write is running. */
  idle(): Promise<void>;
}

export const webhookFileName = /^([1-9]\d{0,15})\.json$/;

function idIn(name: string): WebhookId | undefined {
  const digits = webhookFileName.exec(name)?.[1];
  return digits === undefined ? undefined : (Number(digits) as WebhookId);
}

export function createWebhookFiles(options: {
  readonly files: FileLayer;
  readonly folder: string;
  readonly log: Log;
  readonly emit: Emit;
  readonly beforeUpgrade?: BeforeUpgrade | undefined;
}): WebhookFiles {
  const { files, folder, log, emit, beforeUpgrade } = options;
  /** In the order of their ids, because ids only rise. */
  const documents = new Map<WebhookId, Document<StoredWebhook>>();
  /** Those whose documents are being deleted: they change no more. */
  const leaving = new Set<WebhookId>();
  /** The highest id, including documents that were set aside. */
  let highest = 0;
  let isOpen = false;

  const pathOf = (id: WebhookId): string => `${folder}/${id}.json`;
  function documentOf(id: WebhookId): Document<StoredWebhook> {
    const document = createDocument({ files, path: pathOf(id), format: webhookFormat, onFlushed, beforeUpgrade });
    function onFlushed({ webhook: after }: StoredWebhook, old: StoredWebhook | undefined): void {
      if (old !== undefined && old.webhook !== after) emit('webhook-changed', { before: old.webhook, after });
      if (old === undefined && isOpen) enter(document);
    }
    return document;
  }
  /** Readers see the webhook of this document from now on. */
  function enter(document: Document<StoredWebhook>): void {
    const { webhook } = document.current();
    highest = Math.max(highest, webhook.webhookId);
    documents.set(webhook.webhookId, document);
    if (isOpen) emit('webhook-changed', { before: undefined, after: webhook });
  }
  /** Nobody sees the webhook of this document any more. */
  function leave(document: Document<StoredWebhook>): void {
    const { webhook } = document.current();
    documents.delete(webhook.webhookId);
    emit('webhook-changed', { before: webhook, after: undefined });
  }
  function present(id: WebhookId): Document<StoredWebhook> {
    const document = documents.get(id);
    if (document === undefined || leaving.has(id)) throw new DomainError('not-found', `there is no webhook ${id}`);
    return document;
  }
  async function takeIn(id: WebhookId): Promise<void> {
    highest = Math.max(highest, id);
    const document = documentOf(id);
    try {
      await document.load();
      const foundId = document.current().webhook.webhookId;
      if (foundId !== id) throw new Error(`${pathOf(id)} is damaged: it holds webhook ${foundId}`);
      enter(document);
    } catch (error) {
      if (error instanceof NewerSchemaError) throw error;
      await files.rename(pathOf(id), `${pathOf(id)}.damaged`);
      log.error({ code: 'webhook-lost', err: error, kept: `webhooks/${id}.json.damaged` }, 'a webhook was unusable and is set aside');
    }
  }

  return {
    all: async () => [...documents.values()].map((document) => document.current()),
    get: async (id) => documents.get(id)?.current(),
    async add(stored) {
      await documentOf(stored.webhook.webhookId).put(stored);
    },
    update: async (id, change) => present(id).update(change),
    async remove(id) {
      const document = present(id);
      leaving.add(id);
      try {
        await document.idle();
        // The copy first: it contains the secret and must not outlive the document.
        for (const path of [`${pathOf(id)}.previous`, pathOf(id)]) await removeIfThere(files, path);
        await files.syncFolder(folder);
        leave(document);
      } catch (error) {
        throw storageUnavailable(error);
      } finally {
        leaving.delete(id);
      }
    },
    async open() {
      files.tables?.followFolder(folder, createFollowedDocuments({ idIn, get: (id) => documents.get(id), make: documentOf, leave }));
      const ids = (await files.readdir(folder)).flatMap((name) => idIn(name) ?? []);
      for (const id of ids.sort((a, b) => a - b)) await takeIn(id);
      isOpen = true;
    },
    highest: () => ({ webhookId: highest }),
    flushed: () => [...documents].map(([id, document]) => [`${id}.json`, document.flushedText()] as const),
    async idle() {
      await Promise.all([...documents.values()].map((document) => document.idle()));
    },
  };
}
