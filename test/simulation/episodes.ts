// The faults of the simulation that are not of one request: processes, networks, operators and clocks.
import type { Fault } from "./faults.ts";
import type { World } from "./world.ts";

type Episode = { fault: Fault; begin: (world: World) => void };

export const EPISODES: readonly Episode[] = [
  {
    fault: "process killed",
    begin: (world) => {
      world.someProcess()?.kill();
      world.timeline.after(world.chance.between(100, 120_000), () => world.start());
    },
  },
  {
    fault: "process paused",
    begin: (world) => world.someProcess()?.pause(world.chance.of([500, 5_000, 20_000, 60_000])),
  },
  { fault: "process started", begin: (world) => world.start() },
  {
    fault: "database down",
    begin: (world) => {
      world.setDatabase("down");
      world.timeline.after(world.chance.of([1_000, 10_000, 60_000]), () => world.setDatabase("up"));
    },
  },
  {
    fault: "database cut off from a process",
    begin: (world) => world.someProcess()?.cutOff(world.chance.of([2_000, 20_000, 60_000])),
  },
  { fault: "session cut", begin: (world) => world.chance.of(world.operators).cut() },
  { fault: "operator unbinds", begin: (world) => world.chance.of(world.operators).unbind() },
  {
    fault: "operator down",
    begin: (world) => {
      const operator = world.chance.of(world.operators);
      operator.isUp = false;
      operator.cut();
      world.timeline.after(world.chance.of([3_000, 60_000, 600_000]), () => {
        operator.isUp = true;
      });
    },
  },
  {
    fault: "operator throttles",
    begin: (world) => world.chance.of(world.operators).throttle(world.chance.of([500, 5_000, 60_000])),
  },
  {
    // One link after another carries nothing for a while, and they recover in another order.
    fault: "links clogged in turn",
    begin: ({ operators, timeline, chance }) => {
      for (const operator of operators)
        timeline.after(chance.between(0, 60_000), () => operator.clog(chance.of([2_000, 20_000, 120_000])));
    },
  },
  {
    fault: "operator restarts its ids",
    begin: (world) => world.chance.of(world.operators).restartIds(),
  },
  {
    fault: "clock jumps forward",
    begin: (world) => world.jump(world.chance.of([30_000, 10 * 60_000])),
  },
  {
    fault: "clock jumps back",
    begin: (world) => world.jump(-world.chance.of([30_000, 10 * 60_000])),
  },
  {
    fault: "bind taken over from a live owner",
    begin: (world) => {
      const operator = world.chance.of(world.operators);
      const owner = world.owners.get(operator.id);
      if (!owner) return;
      owner.until = 0;
      for (const process of world.processes) if (process !== owner.process) process.claimSoon(operator);
      // The owner finds out when it renews.
      world.timeline.after(world.chance.between(0, 3_000), () => owner.process.checkRenewal());
    },
  },
  {
    fault: "account suspended",
    begin: (world) => {
      const account = world.someAccount();
      world.suspend(account);
      world.timeline.after(world.chance.of([1_000, 60_000, 600_000]), () => world.resume(account));
    },
  },
  {
    fault: "link drained",
    begin: (world) => {
      const links = world.processes.flatMap((process) => [...process.links.values()]);
      if (links.length > 0) world.chance.of(links).drain();
      // What is canceled at that moment is being cut.
      if (world.faults.isEnabled("canceled"))
        for (const send of world.recent)
          world.timeline.after(world.chance.between(0, 50), () => world.cancel(send));
    },
  },
];
