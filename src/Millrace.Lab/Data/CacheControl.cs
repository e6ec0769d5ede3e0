namespace Millrace.Lab.Data;

/// <summary>Brings a file into the state that a case asks for, before every invocation, and checks that it is there.</summary>
internal sealed class CacheControl : IDisposable
{
    // A few pages of a cold file may come back, for example because a virus scanner reads them.
    private const double ColdResident = 0.01;

    // A larger file would be pushed out by the rest of the system sooner or later, and read in again at every sample.
    private const double MemoryForFile = 0.7;

    private readonly TestFile _file;
    private readonly PageCacheView? _view;
    private readonly string? _untrusted;

    private CacheControl(TestFile file, PageCacheView? view, string? untrusted)
    {
        _file = file;
        _view = view;
        _untrusted = untrusted;
    }

    /// <summary>How a file is brought into the cache unless the plan varies it.</summary>
    public static CacheFill DefaultFill(TestFile file) => file.Generated ? CacheFill.LargeWrites : CacheFill.ReadBack;

    /// <summary>Why hot cases cannot be measured on this file; null when they can.</summary>
    public static string? WhyNoHot(TestFile file)
    {
        long memory = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes;
        return file.Bytes <= memory * MemoryForFile
            ? null
            : $"{ByteSize.ToText(file.Bytes)} do not stay in the page cache of a machine with {ByteSize.ToText(memory)}";
    }

    /// <summary>Why cold cases cannot be measured on this file; null when they can.</summary>
    public static string? WhyNoCold(TestFile file)
    {
        if (!OperatingSystem.IsLinux())
        {
            return "only Linux can drop one file from the page cache and say whether it is there (mincore, posix_fadvise)";
        }

        string type = MountInfo.Of(file.Path).Type;
        if (type is "tmpfs" or "ramfs")
        {
            return $"the file is on {type}, which is memory: nothing can be dropped (use --data or --file with a disk)";
        }

        // One of the laboratory's own is asked about before it is made, and is writable then.
        return file.Generated || PageCacheView.IsTruthful(file.Path)
            ? null
            : "the kernel does not report which pages of this file are in memory, because you may not write it";
    }

    /// <summary>Opens what controls the cache of a file that exists.</summary>
    public static CacheControl Open(TestFile file)
    {
        if (!OperatingSystem.IsLinux())
        {
            return new CacheControl(file, null, "hot was not verified: only Linux reports the contents of the page cache (mincore)");
        }

        return PageCacheView.IsTruthful(file.Path)
            ? new CacheControl(file, new PageCacheView(file.Path), null)
            : new CacheControl(
                file,
                null,
                "hot was not verified: the kernel reports which pages are in memory only to users who may write the file");
    }

    /// <summary>Puts the file's bytes into the page cache in the given way. For a generated file this writes its content again.</summary>
    /// <returns>How it was filled, which is <see cref="CacheFill.AsFound"/> where a file cannot be dropped.</returns>
    public static CacheFill Establish(TestFile file, CacheFill fill)
    {
        bool canDrop = WhyNoCold(file) is null;
        switch (fill)
        {
            case CacheFill.LargeWrites or CacheFill.SmallWrites:
                DropIf(canDrop && File.Exists(file.Path), file);
                TestFileMaker.Write(
                    file, fill == CacheFill.LargeWrites ? TestFileMaker.LargeWrite : TestFileMaker.SmallWrite);
                return fill;
            case CacheFill.ReadBack when canDrop && OperatingSystem.IsLinux():
                using (var view = new PageCacheView(file.Path))
                {
                    view.Drop();
                    view.ReadIn();
                }

                return fill;
            default:
                return CacheFill.AsFound;
        }
    }

    /// <summary>The same, with a reason and a way out when the file cannot be written.</summary>
    public static CacheFill EstablishOrExplain(TestFile file, CacheFill fill)
    {
        try
        {
            return Establish(file, fill);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new LabException(
                $"The test file {file.Path} ({ByteSize.ToText(file.Bytes)}) cannot be written: {exception.Message} "
                + "Name another folder with --data.",
                exception);
        }
    }

    /// <returns>Null when it is as wanted, otherwise the fault.</returns>
    public string? Prepare(CacheState state, CacheFill fill)
    {
        if (_view is null || !OperatingSystem.IsLinux())
        {
            return _untrusted;
        }

        return state == CacheState.Cold ? MakeCold(_view) : MakeHot(_view, _file, fill);
    }

    public void Dispose()
    {
        if (OperatingSystem.IsLinux())
        {
            _view?.Dispose();
        }
    }

    [System.Runtime.Versioning.SupportedOSPlatform("linux")]
    private static string? MakeHot(PageCacheView view, TestFile file, CacheFill fill)
    {
        if (view.ResidentFraction() >= 1)
        {
            return null;
        }

        // As the case states: a file that was read back is cached differently from a written one.
        if (Establish(file, fill) == CacheFill.AsFound)
        {
            view.ReadIn();
        }

        double resident = view.ResidentFraction();
        return resident >= 1 ? null : $"not hot: {resident:P1} of the file was in the page cache";
    }

    [System.Runtime.Versioning.SupportedOSPlatform("linux")]
    private static string? MakeCold(PageCacheView view)
    {
        view.Drop();
        double resident = view.ResidentFraction();
        return resident < ColdResident ? null : $"not cold: {resident:P1} of the file was still in the page cache";
    }

    private static void DropIf(bool drop, TestFile file)
    {
        if (drop && OperatingSystem.IsLinux() && new FileInfo(file.Path).Length > 0)
        {
            using var view = new PageCacheView(file.Path);
            view.Drop();
        }
    }
}
