using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using Millrace.Lab.Data;
using Millrace.Lab.GrpcCore;
using Millrace.Lab.Running;
using Millrace.Transfer;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>
/// The benchmark: every way to move a file between two ends on loopback. One invocation makes a new file at the other end
/// that is like the first. The rows with a digest are a category, as they have a baseline of their own.
/// </summary>
[MemoryDiagnoser]
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory)]
public partial class FileTransfers : IMeasuredBenchmark
{
    private const string WithoutDigest = TransfersPlan.None;
    private const string WithDigest = TransfersPlan.Sha256;

    private Uri _server = null!;
    private string _downloaded = "";

    /// <summary>Between what it is moved.</summary>
    [ParamsSource(nameof(DefaultEnds))]
    public TransferEnds Ends { get; set; } = null!;

    /// <summary>What is moved.</summary>
    [ParamsSource(nameof(DefaultFiles))]
    public TestFile Source { get; set; } = null!;

    /// <summary>Which way.</summary>
    [Params(TransferDirection.Download, TransferDirection.Upload)]
    public TransferDirection Direction { get; set; }

    /// <summary>Bytes that the rows HttpClient copy at a time, and those of a chunk of gRPC; the others choose themselves.</summary>
    [Params(65536, 81920, 262144)]
    public int Buffer { get; set; }

    /// <summary>When the bytes are on the device.</summary>
    [Params(Durability.None)]
    public Durability Durability { get; set; }

    /// <summary>How it is coded on its way; only the rows HttpClient and those of gRPC code at all.</summary>
    [Params(TransferCompression.None)]
    public TransferCompression Compression { get; set; }

    /// <inheritdoc/>
    public long CallingThreadTicks => 0;

    /// <inheritdoc/>
    public bool DescribesItself { get; set; }

    /// <inheritdoc/>
    public string? Description { get; private set; }

    /// <inheritdoc/>
    public string? DescriptionReason => null;

    private bool IsDurable => Durability != Durability.None;

    /// <summary>The ends unless a plan says otherwise: both in this process.</summary>
    public static IEnumerable<TransferEnds> DefaultEnds() => [new(TransferFolders.In(DataFolder.Default), Server: null)];

    /// <summary>The file unless a plan says otherwise.</summary>
    public static IEnumerable<TestFile> DefaultFiles() =>
        [TestFile.OfCsv(TransferFolders.Server(TransferFolders.In(DataFolder.Default)))];

    /// <summary>Starts a server where there is none yet.</summary>
    [GlobalSetup]
    public void Setup()
    {
        _server = Ends switch
        {
            { Server: null } => OwnServer.Acquire(Ends.Folder),
            { Server: { } near, Link: { } link } => LinkEndpoints.Find(near, link).Server,
            { Server: { } server } => server,
        };
        _downloaded = TransferFolders.Downloaded(Ends.Folder);
    }

    /// <summary>Stops it.</summary>
    [GlobalCleanup]
    public void Cleanup()
    {
        _client?.Dispose();
        if (_coreServer is not null)
        {
            CoreClient.Release();
        }

        if (Ends.Server is null)
        {
            OwnServer.Release();
        }
    }
}
