// Loaded before a program (`node --import`). It puts the clock off by CLOCK_OFF_BY_MS; each SIGUSR2 switches that on or
// off.
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
