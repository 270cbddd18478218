// From when to when a card is valid, in words.
import { useStrings } from '../app.ts';
import { useFormats } from '../format.ts';

export function ValidityText({ startDate, endDate }: { startDate: number; endDate: number }) {
  const { cards } = useStrings();
  const { dateTime } = useFormats();
  if (startDate === 0 && endDate === 0) return <>{cards.always}</>;
  const now = Date.now();
  return (
    <>
      {endDate === 0 ? (
        <span class="whole">{cards.since(dateTime(startDate))}</span>
      ) : (
        <>
          <span class="whole">{dateTime(startDate)} –</span> <span class="whole">{dateTime(endDate)}</span>
        </>
      )}{' '}
      {endDate !== 0 && endDate < now && <span class="tag bad">{cards.expired}</span>}
      {startDate > now && <span class="tag">{cards.notYet}</span>}
    </>
  );
}
