// QR codes of links, for pages and terminals.
import { expect, test } from '@jest/globals';
import { qrImage, qrText } from '../../src/platform/qr-code.ts';

const link = `https://gateway.local:8443/#/invitation/${'A'.repeat(43)}`;

test('the image is one of black on white, without scripts and without the text of the link', () => {
  const image = qrImage(link);
  expect(image).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 (\d+) \1"><rect fill="white"/);
  expect(image).not.toMatch(/script|href|invitation/);
  expect(qrImage(`${link}B`)).not.toBe(image);
});

test('the text is as high as half its width, of blocks alone, and fits a terminal of 80 columns', () => {
  const lines = qrText(link).split('\n');
  expect(lines.every((line) => /^[█▀▄ ]+$/.test(line))).toBe(true);
  expect(new Set(lines.map((line) => line.length)).size).toBe(1);
  expect(lines[0]?.length).toBeLessThan(80);
  expect(Math.abs(lines.length * 2 - (lines[0]?.length ?? 0))).toBeLessThanOrEqual(1);
});
