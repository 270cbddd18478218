// What is loaded when somebody first looks at what happened in the building, orders its groups, or locks all doors of one.
import type { ComponentType } from 'preact';
import type { PageProps } from '../pages/page.ts';
import { ActivityPage } from './activity-page.tsx';
import { GroupOrder } from './group-order.tsx';
import { LockGroup } from './lock-group.tsx';
import { withTexts } from './texts.ts';

const page = (Part: ComponentType<PageProps>) => withTexts(Part);

export const parts = {
  activity: page(ActivityPage),
  groupOrder: withTexts(GroupOrder),
  lockGroup: withTexts(LockGroup),
};
