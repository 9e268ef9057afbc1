// Plays scripts with the stepper's player.js outside a browser and prints the state after every move.
// Usage: node replay_player.mjs path/to/player.js < jobs.json; a job is {script, moves: [step, …]}.
// Output: per job { last, states: per move {rows, order, landmarks, phase, say, args, marks, put, ahead} , use, outer }.

import { readFileSync } from "node:fs";

const source = readFileSync(process.argv[2], "utf8");
// The file is written to be joined with others, so it exports nothing: hand its classes out from a function.
const { Player, KeyOrder } = new Function(`"use strict";\n${source}\nreturn { Player, KeyOrder };`)();

function stateOf(player, orders) {
  const sentence = player.sentence();
  return {
    step: player.step,
    rows: player.tracks.map((track) => [...track.rows].sort((a, b) => a[0] - b[0])),
    order: player.tracks.map((track, index) => [...orders[index].sync(track)]),
    landmarks: [player.previousLandmark(player.step), player.nextLandmark(player.step)],
    phase: player.phaseAt(player.step),
    say: sentence.say,
    args: sentence.args,
    marks: player.marks().map((mark) => [mark.track, mark.key, mark.role.label]),
    put: player.tracks.map((_, index) => [...player.justPut(index)].sort((a, b) => a - b)),
    ahead: player.tracks.map((_, index) => [...player.ahead(index)]),
  };
}

const results = JSON.parse(readFileSync(0, "utf8")).map(({ script, moves }) => {
  const player = new Player(script);
  const orders = player.tracks.map(() => new KeyOrder((row) => row[0]));
  const states = moves.map((step) => {
    player.seek(step);
    return stateOf(player, orders);
  });
  const use = player.tracks.map((_, index) => player.fullness(index)).map(({ most, from, to }) => [most, from ?? null, to]);
  return { last: player.last, states, use, outer: player.outerSteps() };
});
process.stdout.write(JSON.stringify(results));
