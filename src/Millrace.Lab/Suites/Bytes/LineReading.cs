using System.Text;
using BenchmarkDotNet.Attributes;
using Millrace.Lab.Data;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Bytes;

/// <summary>The benchmark of lines: one invocation opens a file of text and counts its lines.</summary>
[MemoryDiagnoser]
public class LineReading : IMeasuredBenchmark
{
    /// <summary>What is read.</summary>
    [ParamsSource(nameof(DefaultSources))]
    public ByteSource Source { get; set; } = null!;

    /// <summary>Bytes that are read at a time.</summary>
    [Params(65536)]
    public int Buffer { get; set; }

    /// <inheritdoc/>
    public long CallingThreadTicks => 0;

    /// <inheritdoc/>
    public bool DescribesItself { get; set; }

    /// <inheritdoc/>
    public string? Description { get; private set; }

    /// <inheritdoc/>
    public string? DescriptionReason { get; private set; }

    /// <summary>The file that is measured unless a plan says otherwise.</summary>
    public static IEnumerable<ByteSource> DefaultSources() =>
        [new ByteSource(TestFile.OfCsv(DataFolder.Default), Address: null)];

    /// <summary>The framework's way: a string a line.</summary>
    [Benchmark(Baseline = true)]
    public async ValueTask<long> StreamReaderLines()
    {
        using var reader = new StreamReader(
            Source.OpenFile(), Encoding.UTF8, detectEncodingFromByteOrderMarks: true, bufferSize: Buffer);
        long lines = 0;
        long length = 0;
        while (await reader.ReadLineAsync().ConfigureAwait(false) is { } line)
        {
            lines++;
            length = checked(length + line.Length);
        }

        return Checked(lines, length);
    }

    /// <summary>Millrace's: the bytes of a line, where they lie.</summary>
    [Benchmark]
    public async ValueTask<long> MillraceLinesLines()
    {
        FilePipeReader reader = FilePipe.OpenRead(Source.File.Path, new FileReadOptions { BufferSize = Buffer });
        if (DescribesItself)
        {
            Description = reader.Strategy.ToString();
            DescriptionReason = reader.StrategyReason;
        }

        await using (reader.ConfigureAwait(false))
        {
            long lines = 0;
            long length = 0;
#pragma warning disable CA2007 // The sequence's own ConfigureAwait is not known to the rule, and changes nothing here.
            await foreach (ReadOnlyMemory<byte> line in reader.ReadLinesAsync())
#pragma warning restore CA2007
            {
                lines++;
                length = checked(length + line.Length);
            }

            return Checked(lines, length);
        }
    }

    // All lines end with one byte, and all characters are one byte.
    private long Checked(long lines, long length)
    {
        if (lines != Source.File.Checksum || length + lines != Source.File.Bytes)
        {
            throw new WrongChecksumException(Source.File, length + lines, lines);
        }

        return lines;
    }
}
