import { describe, expect, it } from "vitest";
import { amount, confidence, count, integer, number, percent, seconds } from "./format";

const plain = (text: string) => text.replaceAll("\u202f", " ");

describe("numbers", () => {
  it("puts thousands apart from five digits on", () => {
    expect(plain(integer(5087))).toBe("5087");
    expect(plain(integer(31361))).toBe("31 361");
    expect(plain(integer(-1234567))).toBe("−1 234 567");
  });
  it("keeps a few digits that count", () => {
    expect(plain(number(2.62))).toBe("2.62");
    expect(plain(number(31361.02))).toBe("31 361");
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
  it("counts things", () => {
    expect(count(1, "move")).toBe("1 move");
    expect(count(3, "move")).toBe("3 moves");
  });
});
