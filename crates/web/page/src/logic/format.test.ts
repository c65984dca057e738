import { describe, expect, it } from "vitest";
import { amount, confidence, count, gapText, inputName, integer, labelled, number, percent, seconds, shortened, usedOf } from "./format";

const plain = (text: string) => text.replaceAll("\u202f", " ");

describe("numbers", () => {
  it("puts thousands apart as the verdicts do", () => {
    expect(integer(508)).toBe("508");
    expect(integer(5087)).toBe("5,087");
    expect(integer(-1234567)).toBe("−1,234,567");
    expect(number(1124.66)).toBe("1,124.7");
    expect(number(-1999.96)).toBe("−2,000");
  });
  it("keeps a few digits that count", () => {
    expect(plain(number(2.62))).toBe("2.62");
    expect(plain(number(31361.02))).toBe("31,361");
    expect(plain(number(0.000123456))).toBe("0.000123");
    expect(plain(number(0))).toBe("0");
    expect(number(null)).toBe("–");
    expect(plain(number(3e-9))).toBe("3.0e−9");
  });
});

describe("shares", () => {
  it("never rounds a share into a whole or a gap away", () => {
    expect(plain(percent(0.9999))).toBe("> 99.9 %");
    expect(plain(percent(0.00001))).toBe("< 0.1 %");
    expect(plain(percent(1))).toBe("100.0 %");
    expect(plain(percent(0))).toBe("0.0 %");
    expect(plain(percent(-0.02))).toBe("−2.0 %");
  });
  it("says a small gap as finely as the verdict", () => {
    expect([0, 0.00093, 0.052, null].map((gap) => plain(gapText(gap)))).toEqual(["0.0 %", "0.09 %", "5.2 %", "–"]);
  });
  it("shows every nine of a confidence", () => {
    expect(plain(confidence(0.99999))).toBe("99.999 %");
    expect(plain(confidence(0.9))).toBe("90 %");
  });
});

describe("units", () => {
  it("climbs from MiB to GiB, and counts cores", () => {
    expect(plain(amount(16384, { unit: "MiB", scale: 1 }))).toBe("16 GiB");
    expect(plain(amount(1500, { unit: "core", scale: 1000 }))).toBe("1.5 cores");
    expect(plain(amount(1000, { unit: "core", scale: 1000 }))).toBe("1 core");
    expect(plain(amount(7, { unit: "GB", scale: 1 }))).toBe("7 GB");
    expect(plain(amount(15, { unit: "cluster", scale: 1000 }))).toBe("1.50 %");
  });
  it("says minutes when seconds are many", () => {
    expect(plain(seconds(0.0002))).toBe("< 1 ms");
    expect(plain(seconds(0.25))).toBe("250 ms");
    expect(plain(seconds(12.34))).toBe("12.3 s");
    expect(plain(seconds(119.7))).toBe("2 min 00 s");
  });
  it("names what is counted once, and a cluster by what it is", () => {
    expect(plain(labelled(8, { name: "pods", unit: "pod", scale: 1 }))).toBe("8 pods");
    expect(plain(labelled(1500, { name: "cpu", unit: "core", scale: 1000 }))).toBe("cpu 1.5 cores");
    expect(inputName("examples/web-shop.yaml")).toBe("web-shop.yaml");
    expect(inputName("--cluster")).toMatch(/^live cluster/);
  });
  it("says a unit once where two amounts share it", () => {
    const cpu = { name: "cpu", unit: "core", scale: 1000 };
    const memory = { name: "memory", unit: "MiB", scale: 1 };
    expect(plain(usedOf(1000, 4000, cpu))).toBe("cpu 1 of 4 cores");
    expect(plain(usedOf(512, 16384, memory))).toBe("memory 512 MiB of 16 GiB");
    expect(plain(usedOf(2048, 16384, memory, false))).toBe("2 of 16 GiB");
    expect(plain(usedOf(0, 16384, memory, false))).toBe("0 of 16 GiB");
    expect(plain(usedOf(8, 110, { name: "pods", unit: "pod", scale: 1 }))).toBe("8 of 110 pods");
    expect(plain(usedOf(15, 20, { name: "cpu", unit: "cluster", scale: 1000 }))).toBe("cpu 1.50 of 2.00 % of the cluster");
  });
  it("leaves out the middle of a name", () => {
    expect(shortened("Service123", 6)).toBe("Ser…123");
    expect(shortened("recommendations", 12)).toBe("recommen…ions");
  });
  it("counts things", () => {
    expect(count(1, "move")).toBe("1 move");
    expect(count(3, "move")).toBe("3 moves");
  });
});
