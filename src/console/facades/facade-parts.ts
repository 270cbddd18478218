// What is loaded when somebody first looks at Home Assistant or at the programs that speak as to TTLock.
import type { ComponentType } from 'preact';
import type { PageProps } from '../pages/page.ts';
import { HomeAssistantPage } from './home-assistant.tsx';
import { withTexts } from './texts.ts';
import { TtlockPage } from './ttlock.tsx';

const page = (Part: ComponentType<PageProps>) => withTexts(Part);

export const parts = {
  homeAssistant: page(HomeAssistantPage),
  ttlock: page(TtlockPage),
};
