// Loaded before a program (`node --import`): this machine's clock is off by CLOCK_OFF_BY_MS, from SIGUSR2 to the next one.
const { CLOCK_OFF_BY_MS, CLOCK_IS_OFF_AT_START } = process.env;
let offMs = CLOCK_IS_OFF_AT_START === "yes" ? Number(CLOCK_OFF_BY_MS) : 0;
process.on("SIGUSR2", () => {
  offMs = offMs === 0 ? Number(CLOCK_OFF_BY_MS) : 0;
});

globalThis.Date = new Proxy(Date, {
  construct(target, given, made) {
    return Reflect.construct(target, given.length === 0 ? [target.now() + offMs] : given, made);
  },
  apply: (target) => new target(target.now() + offMs).toString(),
  get: (target, name) => (name === "now" ? () => target.now() + offMs : Reflect.get(target, name)),
});
