using System.Diagnostics;

namespace Millrace.Lab.Tests.Child;

/// <summary>Workers that do not do their work.</summary>
internal static class BadWorker
{
    /// <summary>Begins, says something, and is gone.</summary>
    public static int Die()
    {
        Console.ReadLine();
        Console.WriteLine("""{"Phase":"dying"}""");
        Console.ReadLine();
        Console.Error.WriteLine("the last words");
        Process.GetCurrentProcess().Kill();
        return 0;
    }

    /// <summary>Says something that is no message.</summary>
    public static int Babble()
    {
        Console.ReadLine();
        Console.WriteLine("hello");
        Console.ReadLine();
        return 0;
    }
}
