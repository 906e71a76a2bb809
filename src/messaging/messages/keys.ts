// Message ids: each consists of the id of a send and the number of its recipient.

const MESSAGE_ID = /^([0-9a-f]{24})-([1-9]\d{0,9})$/;
/** The highest number that the columns can store. */
export const NUMBER_AT_MOST = 2_147_483_647;

/** Returns the send and the number of a message; undefined if this is not a message id. */
export function keyOfMessage(id: string): { sendId: string; number: number } | undefined {
  const [, sendId, digits] = MESSAGE_ID.exec(id) ?? [];
  const number = Number(digits);
  return sendId !== undefined && number <= NUMBER_AT_MOST ? { sendId, number } : undefined;
}
