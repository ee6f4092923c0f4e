// What is said of a job in one of its states.
export type Saying = { state: string; text: string };

// What a listener hears: what was said last, as long as the job is in the state of which it was said.
export const spokenNow = (said: Saying, now: Saying): string => (said.state === now.state ? said.text : now.text);
