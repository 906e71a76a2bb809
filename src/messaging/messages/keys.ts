// The ids of messages: each is made of the id of a send and the number of its recipient.

const MESSAGE_ID = /^([0-9a-f]{24})-([1-9]\d{0,9})$/;
/** The highest number that the columns hold. */
export const NUMBER_AT_MOST = 2_147_483_647;

/** The send and the number of a message; undefined: it is no id of a message. */
export function keyOfMessage(id: string): { sendId: string; number: number } | undefined {
  const [, sendId, digits] = MESSAGE_ID.exec(id) ?? [];
  const number = Number(digits);
  return sendId !== undefined && number <= NUMBER_AT_MOST ? { sendId, number } : undefined;
}
